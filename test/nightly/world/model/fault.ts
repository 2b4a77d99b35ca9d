import type { ApiReply, ApiRequest, Random } from '../types.ts';
import { spellingsOf } from '../../../support/canary.ts';

/** What a fault makes of the reply to a call. */
type Fault = (request: ApiRequest, whole: ApiReply, random: Random, now: number) => ApiReply | 'refuse' | 'silence';

const envelope = (code: string, title: string, detail?: string): string =>
  JSON.stringify({ errors: [{ code, title, ...(detail !== undefined && { detail }) }] });

/** A reply of one chunk. */
export function replyOf(
  status: number,
  body: string | Buffer,
  headers: ApiReply['headers'] = {},
  afterMs = 5,
): ApiReply {
  const bytes = Buffer.from(body);
  const type = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  return { afterMs, status, headers: { ...type, ...headers }, chunks: [{ afterMs: 0, bytes }], end: 'end' };
}

/** The text of an error that quotes the key in one of its spellings. */
function echoOf({ key }: ApiRequest, random: Random): string {
  return `The key ${random.pick(spellingsOf(key ?? 'none'))} is wrong`;
}

function failing(status: number, code = '10007'): Fault {
  return (request, _whole, random) => {
    const kind = random.below(4);
    if (kind === 0) return replyOf(status, '', html);
    if (kind === 1) return replyOf(status, `<html>${echoOf(request, random)}</html>`, html);
    const detail = random.chance(0.5) ? echoOf(request, random) : 'As it is.';
    return replyOf(status, envelope(code, 'Unexpected error', detail));
  };
}

const html = { 'content-type': 'text/html' };
const brokenShapes = ['{"data":{}}', '{"data":"x","meta":[]}', '[]', 'null', '{}', ''];
const bytesOf = ({ chunks }: ApiReply): Buffer => Buffer.concat(chunks.map(({ bytes }) => bytes));
const limit = (seconds: number): ApiReply['headers'] => ({
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(seconds),
});

/** Every way in which the API fails, by name. */
export const faults = {
  s500: failing(500),
  s502: failing(502),
  s503: failing(503),
  s504: failing(504),
  s400: failing(400, '10015'),
  s401: failing(401, '10009'),
  s403: failing(403, '10010'),
  s404: failing(404, '10005'),
  s422: failing(422, '10027'),
  validation(request, _whole, random) {
    const detail = [{ loc: ['query', 'page', 1], msg: echoOf(request, random), type: 'x' }];
    return replyOf(422, JSON.stringify({ detail }));
  },
  s429(_request, _whole, random, now) {
    // All refusals tell the same moment: the end of a minute and a half.
    const wait = 90 - (Math.floor(now / 1_000) % 90);
    const told = { 'retry-after': String(wait) };
    const headers = random.pick<ApiReply['headers']>([told, { ...told, ...limit(wait) }, {}]);
    return random.chance(0.3)
      ? replyOf(429, '<html>slow down', { ...html, ...headers })
      : replyOf(429, envelope('10011', 'Too many'), headers);
  },
  usedUp: (_request, whole, random) => ({
    ...whole,
    headers: { ...whole.headers, ...limit(random.pick([1, 5, 20])) },
  }),
  refuse: () => 'refuse',
  silence: () => 'silence',
  slow: (_request, whole, random) => ({ ...whole, afterMs: 500 + random.below(11_500) }),
  cut: (_request, whole) => halved(whole, 'reset'),
  stall: (_request, whole) => halved(whole, 'never'),
  hangUp: (_request, whole) => ({ ...whole, chunks: [], end: 'reset' }),
  html: (request, _whole, random) => replyOf(200, `<html>${echoOf(request, random)}</html>`, html),
  shape: (_request, _whole, random) => replyOf(200, random.pick(brokenShapes)),
  truncated(_request, whole) {
    const bytes = bytesOf(whole);
    return replyOf(200, bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  redirect: ({ key }) => replyOf(302, '', { location: `https://elsewhere.invalid/?k=${key}` }),
  oddSuccess: (_request, whole, random) => ({ ...whole, status: random.pick([201, 202, 203, 206, 207]) }),
  large: (_request, whole) => ({
    ...whole,
    headers: { ...whole.headers, 'content-length': '600000000' },
    end: 'never',
  }),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[];

function halved(whole: ApiReply, end: 'reset' | 'never'): ApiReply {
  const bytes = bytesOf(whole);
  const half = { afterMs: 0, bytes: bytes.subarray(0, Math.floor(bytes.length / 2)) };
  return { ...whole, headers: { ...whole.headers, 'content-length': String(bytes.length) }, chunks: [half], end };
}

/** A span in which some calls fail. */
export interface FaultSpan {
  readonly from: number;
  readonly to: number;
  readonly fault: FaultName;
  readonly share: number;
  /** Whose calls; null: everybody's. */
  readonly caller: number | null;
  /** Of which path; null: of all. */
  readonly path: string | null;
}

/** Which faults there are and were, and when they met a caller last. */
export class FaultLog {
  readonly #spans: FaultSpan[] = [];
  readonly #metAt = new Map<number, number>();

  add(span: FaultSpan): void {
    this.#spans.push(span);
  }

  /** The fault of a call that comes now; null where it has none. */
  decide({ path }: ApiRequest, caller: number, now: number, random: Random): FaultName | null {
    for (const span of this.#spans) {
      const isIts = (span.caller ?? caller) === caller && (span.path ?? path) === path;
      if (isIts && span.from <= now && now < span.to && random.chance(span.share)) {
        this.#metAt.set(caller, now);
        return span.fault;
      }
    }
    return null;
  }

  /** When a call of a caller has failed last; minus infinity where none has. */
  metAt(caller: number): number {
    return this.#metAt.get(caller) ?? -Infinity;
  }
}
