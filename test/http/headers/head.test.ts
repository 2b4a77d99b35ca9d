import { expect, test, type Gateway } from '../../support/gateway.ts';
import { growing, all, openIn } from '../../live/subscription.ts';
import { ask, type RawAnswer } from '../../support/http.ts';
import { stall, watched } from '../../support/scripted-upstream.ts';

const authorization = 'Bearer test-key';
const path = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;
/** Headers of the connection, and not of the response. */
const isOfAnswer = (line: string): boolean => !/^(?:connection|date|keep-alive|transfer-encoding): /.test(line);

const heads = async (gateway: Gateway, request: { path: string; headers?: Readonly<Record<string, string>> }) => {
  // fetch would ask for codings by itself.
  const headers = { authorization, 'x-request-id': 'same', 'accept-encoding': 'identity', ...request.headers };
  const head = await ask(gateway.url, { ...request, method: 'HEAD', headers });
  return { headers, head: { ...head, headers: head.headers.filter(isOfAnswer) } };
};

/** The head of a response to GET, whose body may never end. */
async function headOfGet(
  { url }: Gateway,
  given: string,
  headers: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  const leaving = new AbortController();
  const response = await fetch(url + given, { headers, signal: leaving.signal });
  const lines = [...response.headers].map((pair) => pair.join(': ')).filter(isOfAnswer);
  leaving.abort();
  return { status: response.status, headers: lines.sort(), text: '' };
}

test('HEAD of a subscription has the head of its stream, and begins no stream and no upstream call', async ({
  gateway,
  upstream,
}) => {
  growing(upstream);
  const request = { path: path(all), headers: { accept: 'text/event-stream' } };
  const { head, headers } = await heads(gateway, request);
  expect(upstream.requests).toEqual([]);
  expect(await openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head).toEqual(await headOfGet(gateway, request.path, headers));
});

test.for<[what: string, query: string, headers: Readonly<Record<string, string>>, status: number]>([
  ['without a key', all, { accept: '*/*', authorization: '' }, 200],
  [
    'without a key, as a client of GraphQL over HTTP',
    all,
    { accept: 'application/graphql-response+json', authorization: '' },
    401,
  ],
  ['of a field that nobody knows', 'subscription { nope }', { accept: 'application/graphql-response+json' }, 400],
  ['for a client that takes JSON alone', all, { accept: 'application/json' }, 406],
])(
  'HEAD of a subscription %s is refused as GET is, and asks nothing',
  async ([, query, given, status], { gateway, upstream }) => {
    const { head, headers } = await heads(gateway, { path: path(query), headers: given });
    expect(head.status).toBe(status);
    expect(head).toEqual(await headOfGet(gateway, path(query), headers));
    expect(upstream.requests).toEqual([]);
  },
);

test('HEAD of a query has the head of its response', async ({ gateway, upstream }) => {
  upstream.script(() => ({ json: { data: [], meta: { total_results: 0 } } }));
  const { head, headers } = await heads(gateway, { path: path('{ missions { totalCount } }') });
  expect(head.text).toBe('');
  expect(upstream.requests).toHaveLength(1);
  expect(head).toEqual(await headOfGet(gateway, path('{ missions { totalCount } }'), headers));
});

test('HEAD of an export has its head, and keeps no call', async ({ gateway, upstream }) => {
  const { reply, left } = watched(stall('tn,cost\n', { headers: { 'content-type': 'text/csv' } }));
  upstream.script(() => reply);
  const report = '/exports/charges-breakdown.csv?startDate=2026-10-01';
  const { head, headers } = await heads(gateway, { path: report });
  await left;
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head).toEqual(await headOfGet(gateway, report, headers));
});
