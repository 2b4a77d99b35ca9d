import type { RawRequest } from '../support/http.ts';
import * as records from '../support/records.ts';
import { healthyReply } from '../support/records.ts';
import { pageReply, type Script } from '../support/scripted-upstream.ts';
import { asEvent, post, type Way } from './every-path.ts';

/** A request, and the upstream's replies meanwhile: of one in good health, where none are given. */
export interface Exchange {
  readonly name: string;
  readonly request: RawRequest;
  readonly reply?: Script | undefined;
  /** The same operation, whose answer is an event. */
  readonly event: RawRequest;
  /** Who is to answer it. */
  readonly way?: Way;
  /** Who is to answer it as an event, if neither the same nor a plan instead of bytes. */
  readonly eventWay?: Way;
  /** The data to the byte, where it is small. */
  readonly data?: string;
}

export interface OperationOptions extends Pick<Exchange, 'reply' | 'way' | 'eventWay' | 'data'> {
  readonly variables?: unknown;
  readonly operationName?: unknown;
  /** Null where the caller has none. */
  readonly key?: null;
}

export function operation(name: string, query: string, options: OperationOptions = {}): Exchange {
  const { variables, operationName, key, ...expected } = options;
  // A document that no other exchange has, so that it is new to a gateway once.
  const members = { query: `${query} # ${name}`, variables, operationName };
  const headers = key === null ? { authorization: 'none' } : {};
  return { name, request: post(members, headers), event: asEvent(members, headers), ...expected };
}

/** An upstream that is busy. */
export const fails: Script = () => ({ status: 503, headers: { 'retry-after': '7' }, text: 'busy' });
/** An upstream with values that are not as they should be. */
export const isOdd: Script = () => ({ json: { data: [{ mission_id: 'a', name: 7 }, 7], meta: { total_results: 2 } } });
export const refuses: Script = () => ({
  status: 403,
  json: {
    errors: [
      { code: '10010', title: 'Forbidden' },
      { code: '10015', detail: 'Bad.', source: { parameter: 'page[size]' } },
    ],
  },
});

/** An upstream whose lists have these rows, by path. */
export const lists =
  (rows: Readonly<Record<string, readonly unknown[]>>): Script =>
  (request) =>
    rows[request.path] === undefined ? healthyReply(request) : pageReply(rows[request.path] ?? [], request);
export const missions = (...rows: readonly unknown[]): Script => lists({ '/ai/missions': rows });
export const deliveries = (...rows: readonly unknown[]): Script => lists({ '/webhook_deliveries': rows });
export const failsAt =
  (...paths: readonly string[]): Script =>
  (request) =>
    paths.includes(request.path) ? { status: 500, text: 'oops' } : healthyReply(request);
export const summary =
  (fields: records.JsonRecord): Script =>
  (request) =>
    request.path === '/charges_summary'
      ? { json: { data: records.chargesSummaryRecord(fields) } }
      : healthyReply(request);
