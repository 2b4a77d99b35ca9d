import type { JsonRecord } from '../../../support/records.ts';
import type { Api, ApiReply, ApiRequest, World } from '../types.ts';
import { listNames, type Account, type ListName, type Row } from './account.ts';
import { csvOf } from './charges.ts';
import { faults, replyOf, type FaultLog, type FaultName } from './fault.ts';
import { viewOf, wordsOf } from './view.ts';

/** A call as it came to the API. */
export interface ApiCall {
  readonly at: number;
  /** When its reply was over; infinite where it never is. */
  readonly until: number;
  readonly caller: number | null;
  readonly path: string;
  readonly query: string;
  /** The request of a client that caused it. */
  readonly requestId: string;
  readonly fault: FaultName | 'refusal' | null;
  /** Until when it was told that no call is left; 0 where it was not. */
  readonly limitedUntil: number;
}

interface ApiParts {
  readonly world: World;
  readonly accountOf: (key: string | null) => Account | null;
  readonly faults: FaultLog;
  readonly note: (call: ApiCall) => void;
  readonly breach: (promise: string, detail: string) => void;
  /** How much longer the replies of a caller take now, though nothing is wrong. */
  readonly heldMs: (caller: number | undefined) => number;
}

type Params = Readonly<Record<string, string>>;

/** The API as its contract has it, with the manners of each account and the faults of the moment. */
export function createApi(parts: ApiParts): Api {
  const { world } = parts;
  const limitOf = createLimits();
  return (request) => {
    const path = request.path.replace(/^\/v2/, '');
    const now = world.now();
    const account = parts.accountOf(request.key);
    const asked = { ...request, path };
    const fault = account === null ? null : parts.faults.decide(asked, account.number, now, world.random);
    const whole = answer(asked, account, parts);
    const acted: ApiReply | 'refuse' | 'silence' =
      fault === null ? whole : faults[fault].act(asked, whole, world.random);
    const limited = fault === 's429' && typeof acted !== 'string' ? limitOf(account?.number ?? 0, acted, now) : acted;
    const heldMs = parts.heldMs(account?.number);
    const reply = typeof limited === 'string' ? limited : { ...limited, afterMs: limited.afterMs + heldMs };
    const until =
      typeof reply === 'string'
        ? now
        : now + reply.afterMs + reply.chunks.reduce((sum, { afterMs }) => sum + afterMs, 0) + 200;
    const isRefusal = fault === null && typeof reply !== 'string' && reply.status !== 200;
    const requestId = request.headers['x-request-id'] ?? '';
    const caller = account?.number ?? null;
    const wait = typeof reply !== 'string' && reply.status === 429 ? Number(reply.headers['retry-after'] ?? 0) : 0;
    const limitedUntil = wait === 0 ? 0 : until + wait * 1000;
    parts.note({
      at: now,
      until,
      caller,
      path,
      query: request.query,
      requestId,
      fault: isRefusal ? 'refusal' : fault,
      limitedUntil,
    });
    return reply;
  };
}

/** Has all refusals of a caller tell one moment at which its limit is reset. */
function createLimits(): (caller: number, reply: ApiReply, now: number) => ApiReply {
  const resets = new Map<number, number>();
  return (caller, reply, now) => {
    const told = Number(reply.headers['retry-after'] ?? 0) * 1000;
    const reset = resets.get(caller) ?? 0;
    if (reset <= now) {
      resets.set(caller, now + told);
      return reply;
    }
    return { ...reply, headers: { ...reply.headers, 'retry-after': String(Math.ceil((reset - now) / 1000)) } };
  };
}

function answer(request: ApiRequest, account: Account | null, { world, breach, faults: log }: ApiParts): ApiReply {
  const { random } = world;
  const afterMs = 5 + random.below(60);
  if (request.method !== 'GET') breach('only GET is asked of the API', `${request.method} ${request.path}`);
  const refuse = (status: number, code: string): ApiReply =>
    replyOf(
      status,
      JSON.stringify({ errors: [{ code, title: 'Refused', detail: 'The key is refused.' }] }),
      {},
      afterMs,
    );
  if (account === null) return refuse(401, '10009');
  if (account.keyState.is !== 'good') {
    const status = account.keyState.is === 'revoked' ? 401 : 403;
    log.note(status === 401 ? 's401' : 's403', account.number, world.now());
    return status === 401 ? refuse(401, '10009') : refuse(403, '10010');
  }
  const params = Object.fromEntries(new URLSearchParams(request.query)) as Params;
  const list = listNames.find((name) => wordsOf[name].path === request.path);
  if (list !== undefined && random.chance(account.manners[list].moves)) account.move(list, world.now());
  if (list !== undefined) return chunked(pageOf(account, list, params, breach), afterMs, random.chance(0.2));
  const start = params['start_date'] ?? '';
  const end = params['end_date'] ?? nextMonthOf(start);
  const days = (Date.parse(end) - Date.parse(start)) / 86_400_000;
  if (!(days > 0 && days <= 31)) {
    breach('a report covers at most 31 days', request.query);
    return refuse(400, '10015');
  }
  const count = account.charges.countAt(world.now(), start.slice(0, 7));
  if (request.path === '/charges_summary')
    return chunked(JSON.stringify({ data: account.charges.summary(start, end, count) }), afterMs, false);
  if (request.path !== '/charges_breakdown') return refuse(404, '10005');
  const report = account.charges.breakdown(start, end, count);
  if (params['format'] !== 'csv') return chunked(JSON.stringify({ data: report }), afterMs, random.chance(0.5));
  const csv = chunked(csvOf(report), afterMs, random.chance(0.5));
  return { ...csv, headers: { ...csv.headers, 'content-type': 'text/csv' } };
}

/** The day of the next month with the same number. */
export function nextMonthOf(start: string): string {
  const [year = 0, month = 0, day = 1] = start.split('-').map(Number);
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}

function chunked(text: string, afterMs: number, isInParts: boolean): ApiReply {
  const whole = replyOf(200, text, {}, afterMs);
  if (!isInParts) return whole;
  const bytes = Buffer.from(text);
  const half = Math.floor(bytes.length / 2);
  const { 'content-length': _length, ...headers } = whole.headers;
  return {
    ...whole,
    headers,
    chunks: [
      { afterMs: 0, bytes: bytes.subarray(0, half) },
      { afterMs: 20, bytes: bytes.subarray(half) },
    ],
  };
}

function pageOf(account: Account, list: ListName, params: Params, breach: ApiParts['breach']): string {
  const { pageLimit } = wordsOf[list];
  const asked = Number(params['page[size]'] ?? 20);
  const number = Number(params['page[number]'] ?? 1);
  if (!(Number.isInteger(asked) && asked >= 1 && asked <= pageLimit))
    breach('page[size] is within the limit', `${list} ${params['page[size]']}`);
  if (!(Number.isInteger(number) && number >= 1))
    breach('page[number] is at least 1', `${list} ${params['page[number]']}`);
  const { 'page[size]': _size, 'page[number]': _number, ...filter } = params;
  const rows = viewOf(account.lists[list].rows, filter);
  const { clamp, isTold, meta, lie } = account.manners[list];
  const clamped = Math.min(asked, clamp ?? asked, pageLimit);
  const used = lie === 'sizes' && number % 2 === 0 ? Math.max(1, clamped - 3) : clamped;
  const shown = isTold ? used : asked;
  const counts = {
    total_results: rows.length,
    total_pages: Math.ceil(rows.length / shown),
    page_number: number,
    page_size: shown,
  };
  const told = { whole: counts, none: {}, pages: { total_pages: counts.total_pages } }[meta];
  const page = lied(rows.slice((number - 1) * used, number * used), lie);
  return `{"data":[${page.map(({ text }) => text).join(',')}],"meta":${JSON.stringify(told satisfies JsonRecord)}}`;
}

function lied(page: readonly Row[], lie: string): readonly Row[] {
  const middle = Math.floor(page.length / 2);
  const row = page[middle];
  if (page.length < 3 || row === undefined) return page;
  if (lie === 'short') return page.toSpliced(middle, 1);
  return lie === 'doubled' ? page.toSpliced(middle, 0, row) : page;
}
