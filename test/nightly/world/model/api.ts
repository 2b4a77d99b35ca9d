import type { Api, ApiReply, ApiRequest, World } from '../types.ts';
import { listNames, type Account, type ListName, type Row } from './account.ts';
import { faults, replyOf, type FaultLog } from './fault.ts';
import { viewOf, wordsOf } from './view.ts';

/** A call as it came to the API. */
export interface ApiCall {
  readonly at: number;
  /** When its reply was over. */
  readonly until: number;
  readonly caller: number | null;
  readonly path: string;
  /** The request of a client that caused it. */
  readonly requestId: string;
  /** Whether it was answered as it should be. */
  readonly isWhole: boolean;
  /** Until when it was told that no call is left; 0 where it was not. */
  readonly limitedUntil: number;
}

interface ApiParts {
  readonly world: World;
  readonly accountOf: (key: string | null) => Account | null;
  readonly faults: FaultLog;
  readonly note: (call: ApiCall) => void;
  readonly breach: (promise: string, detail: string) => void;
}

type Params = Readonly<Record<string, string>>;

/** The API as its contract has it, with the manners of each account and the faults of the moment. */
export function createApi(parts: ApiParts): Api {
  const { world } = parts;
  return (request) => {
    const asked = { ...request, path: request.path.replace(/^\/v2/, '') };
    const at = world.now();
    const account = parts.accountOf(request.key);
    const caller = account?.number ?? null;
    const whole = answer(asked, account, parts);
    const fault = caller === null ? null : parts.faults.decide(asked, caller, at, world.random);
    const reply = fault === null ? whole : faults[fault](asked, whole, world.random, at);
    parts.note({
      at,
      until: endOf(reply, at),
      caller,
      path: asked.path,
      requestId: request.headers['x-request-id'] ?? '',
      isWhole: fault === null && whole.status === 200,
      limitedUntil: limitOfReply(reply, endOf(reply, at)),
    });
    return reply;
  };
}

function endOf(reply: ReturnType<Api>, at: number): number {
  if (typeof reply === 'string') return at;
  return at + reply.afterMs + reply.chunks.reduce((sum, { afterMs }) => sum + afterMs, 0) + 200;
}

function limitOfReply(reply: ReturnType<Api>, from: number): number {
  const seconds = typeof reply !== 'string' && reply.status === 429 ? Number(reply.headers['retry-after'] ?? 0) : 0;
  return seconds === 0 ? 0 : from + seconds * 1_000;
}

function answer(request: ApiRequest, account: Account | null, { world, breach }: ApiParts): ApiReply {
  const { random } = world;
  const afterMs = 5 + random.below(60);
  if (request.method !== 'GET') breach('only GET is asked of the API', `${request.method} ${request.path}`);
  const refuse = (status: number, code: string): ApiReply => {
    const body = { errors: [{ code, title: 'Refused', detail: 'The key is refused.' }] };
    return replyOf(status, JSON.stringify(body), {}, afterMs);
  };
  if (account === null || account.keyState === 'revoked') return refuse(401, '10009');
  if (account.keyState === 'forbidden') return refuse(403, '10010');
  const params = Object.fromEntries(new URLSearchParams(request.query)) as Params;
  const list = listNames.find((name) => wordsOf[name].path === request.path);
  if (list !== undefined) {
    if (random.chance(account.manners[list].moves)) account.move(list, world.now());
    return chunked(pageOf(account, list, params, breach), afterMs, random.chance(0.2));
  }
  const { start_date: start = '', end_date: end = nextMonthOf(start) } = params;
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
  return chunked(JSON.stringify({ data: report }), afterMs, random.chance(0.5));
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
  const chunks = [
    { afterMs: 0, bytes: bytes.subarray(0, half) },
    { afterMs: 20, bytes: bytes.subarray(half) },
  ];
  return { ...whole, headers, chunks };
}

function pageOf(account: Account, list: ListName, params: Params, breach: ApiParts['breach']): string {
  const { pageLimit } = wordsOf[list];
  const { 'page[size]': size = 20, 'page[number]': page = 1, ...filter } = params;
  const [asked, number] = [Number(size), Number(page)];
  if (!(Number.isInteger(asked) && asked >= 1 && asked <= pageLimit))
    breach('page[size] is within the limit', `${list} ${size}`);
  if (!(Number.isInteger(number) && number >= 1)) breach('page[number] is at least 1', `${list} ${page}`);
  const rows = viewOf(account.lists[list].rows, filter);
  const { clamp, isTold, meta, lie } = account.manners[list];
  const clamped = Math.min(asked, clamp ?? asked, pageLimit);
  const used = lie === 'sizes' && number % 2 === 0 ? Math.max(1, clamped - 3) : clamped;
  const shown = isTold ? used : asked;
  const pages = { total_pages: Math.ceil(rows.length / shown) };
  const counts = { total_results: rows.length, ...pages, page_number: number, page_size: shown };
  const told = { whole: counts, none: {}, pages }[meta];
  const sent = lied(rows.slice((number - 1) * used, number * used), lie);
  return `{"data":[${sent.map(({ text }) => text).join(',')}],"meta":${JSON.stringify(told)}}`;
}

function lied(page: readonly Row[], lie: string): readonly Row[] {
  const middle = Math.floor(page.length / 2);
  const row = page[middle];
  if (page.length < 3 || row === undefined) return page;
  if (lie === 'short') return page.toSpliced(middle, 1);
  return lie === 'doubled' ? page.toSpliced(middle, 0, row) : page;
}
