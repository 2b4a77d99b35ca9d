import type { Script } from '../support/scripted-upstream.ts';
import type { RawRequest } from '../support/raw-client.ts';

/** A request, and the upstream's replies meanwhile. */
export interface ExchangeCase {
  readonly name: string;
  readonly request: RawRequest;
  /** Else it is in good health. */
  readonly reply?: Script;
}

type Headers = NonNullable<RawRequest['headers']>;

/** The Authorization header of all requests that have one. */
export const authorization = 'Bearer test-key';
const own: Headers = { authorization, 'content-type': 'application/json' };

let queries = 0;
/** A document that no other case has, so that each is new to a gateway once. */
export const fresh = (query: string): string => `${query} #${queries++}`;
/** A query of which nothing can go wrong but its values. */
export const good = '{ missions { totalCount nodes { id name metadata } } }';

/** A request with these members in its body; headers that are given as `none` are left out. */
export function post(members: object, headers: Headers = {}): RawRequest {
  return send(JSON.stringify(members), headers);
}

/** A request with this body. */
export function send(body: string | Buffer, headers: Headers = {}): RawRequest {
  const given = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== 'none');
  return { headers: Object.fromEntries(given), body };
}

/** A request for a document that is new to each gateway once. */
export const query = (text: string, more: object = {}, headers: Headers = {}): RawRequest =>
  post({ query: fresh(text), ...more }, headers);

/** An upstream that is busy. */
export const fails: Script = () => ({ status: 503, headers: { 'retry-after': '7' }, text: 'busy' });
/** An upstream that refuses for two reasons. */
export const refuses: Script = () => ({
  status: 403,
  json: {
    errors: [
      { code: '10010', title: 'Forbidden' },
      { code: '10015', detail: 'Bad.', source: { parameter: 'page[size]' } },
    ],
  },
});
/** An upstream with values that are not as they should be. */
export const isOdd: Script = () => ({ json: { data: [{ mission_id: 'a', name: 7 }, 7], meta: { total_results: 2 } } });
