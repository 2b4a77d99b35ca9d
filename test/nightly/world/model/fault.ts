import type { ApiReply, ApiRequest, Random } from '../types.ts';
import { spellingsOf } from './canary.ts';

/** What a fault does to a call, and the codes of the errors that may come of it. */
interface Fault {
  readonly codes: readonly string[];
  /** Whether the call counts as one that the API failed, by which it may be left alone. */
  readonly isFailure: boolean;
  readonly act: (request: ApiRequest, whole: ApiReply, random: Random) => ApiReply | 'refuse' | 'silence';
}

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

function failing(status: number, codes: readonly string[], isFailure: boolean, code?: string): Fault {
  return {
    codes,
    isFailure,
    act(request, _whole, random) {
      const kind = random.below(4);
      if (kind === 0) return replyOf(status, '', { 'content-type': 'text/html' });
      if (kind === 1)
        return replyOf(status, `<html>${echoOf(request, random)}</html>`, { 'content-type': 'text/html' });
      const detail = random.chance(0.5) ? echoOf(request, random) : 'As it is.';
      return replyOf(status, envelope(code ?? '10007', 'Unexpected error', detail));
    },
  };
}

const html = { 'content-type': 'text/html', 'content-length': '15' };

const brokenShapes = ['{"data":{}}', '{"data":"x","meta":[]}', '[]', 'null', '{}', ''];

/** Every way in which the API fails, by name. */
export const faults = {
  s500: failing(500, ['UPSTREAM_ERROR'], true),
  s502: failing(502, ['UPSTREAM_ERROR'], true),
  s503: failing(503, ['UPSTREAM_ERROR'], true),
  s504: failing(504, ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'], true),
  s400: failing(400, ['BAD_USER_INPUT', 'UPSTREAM_ERROR'], false, '10015'),
  s401: failing(401, ['UNAUTHENTICATED'], false, '10009'),
  s403: failing(403, ['FORBIDDEN'], false, '10010'),
  s404: failing(404, ['NOT_FOUND'], false, '10005'),
  s422: failing(422, ['UNPROCESSABLE_ENTITY'], false, '10027'),
  validation: {
    codes: ['BAD_USER_INPUT'],
    isFailure: false,
    act: (request, _whole, random) =>
      replyOf(
        422,
        JSON.stringify({ detail: [{ loc: ['query', 'page', 1], msg: echoOf(request, random), type: 'x' }] }),
      ),
  },
  s429: {
    codes: ['RATE_LIMITED'],
    isFailure: false,
    act(_request, _whole, random) {
      const wait = random.pick([1, 2, 5, 30, 90]);
      const headers = random.pick<ApiReply['headers']>([
        { 'retry-after': String(wait) },
        {
          'retry-after': String(wait),
          'x-ratelimit-limit': '60',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(wait),
        },
        {},
      ]);
      return random.chance(0.3)
        ? replyOf(429, '<html>slow down', { ...html, ...headers })
        : replyOf(429, envelope('10011', 'Too many'), headers);
    },
  },
  usedUp: {
    codes: ['RATE_LIMITED'],
    isFailure: false,
    act: (_request, whole, random) => ({
      ...whole,
      headers: {
        ...whole.headers,
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(random.pick([1, 5, 20])),
      },
    }),
  },
  refuse: { codes: ['UPSTREAM_UNAVAILABLE'], isFailure: true, act: () => 'refuse' },
  silence: { codes: ['UPSTREAM_TIMEOUT'], isFailure: true, act: () => 'silence' },
  slow: {
    codes: ['UPSTREAM_TIMEOUT'],
    isFailure: true,
    act: (_request, whole, random) => ({ ...whole, afterMs: 500 + random.below(11_500) }),
  },
  drip: {
    codes: ['UPSTREAM_TIMEOUT'],
    isFailure: true,
    act(_request, whole, random) {
      const bytes = Buffer.concat(whole.chunks.map((chunk) => chunk.bytes));
      const parts = 2 + random.below(6);
      const size = Math.ceil(bytes.length / parts) || 1;
      const stepMs = 100 + random.below(1_900);
      const chunks = Array.from({ length: parts }, (_, index) => ({
        afterMs: stepMs,
        bytes: bytes.subarray(index * size, (index + 1) * size),
      }));
      return { ...whole, chunks };
    },
  },
  cut: { codes: ['UPSTREAM_UNAVAILABLE'], isFailure: true, act: (_request, whole) => halved(whole, 'reset') },
  stall: { codes: ['UPSTREAM_TIMEOUT'], isFailure: true, act: (_request, whole) => halved(whole, 'never') },
  hangUp: {
    codes: ['UPSTREAM_UNAVAILABLE'],
    isFailure: true,
    act: (_request, whole) => ({ ...whole, chunks: [], end: 'reset' }),
  },
  html: {
    codes: ['UPSTREAM_BAD_RESPONSE'],
    isFailure: false,
    act: (request, _whole, random) =>
      replyOf(200, `<html>${echoOf(request, random)}</html>`, { 'content-type': 'text/html' }),
  },
  shape: {
    codes: ['UPSTREAM_BAD_RESPONSE'],
    isFailure: false,
    act: (_request, _whole, random) => replyOf(200, random.pick(brokenShapes)),
  },
  truncated: {
    codes: ['UPSTREAM_BAD_RESPONSE'],
    isFailure: false,
    act(_request, whole) {
      const bytes = Buffer.concat(whole.chunks.map((chunk) => chunk.bytes));
      return replyOf(200, bytes.subarray(0, Math.floor(bytes.length / 2)));
    },
  },
  redirect: {
    codes: ['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_ERROR'],
    isFailure: false,
    act: (request) =>
      replyOf(302, '', { location: `https://elsewhere.invalid/?k=${encodeURIComponent(request.key ?? '')}` }),
  },
  oddSuccess: {
    codes: ['UPSTREAM_BAD_RESPONSE'],
    isFailure: false,
    act: (_request, whole, random) => ({ ...whole, status: random.pick([201, 202, 203, 206, 207]) }),
  },
  large: {
    codes: ['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_UNAVAILABLE'],
    isFailure: false,
    act: (_request, whole, random) => ({
      ...whole,
      headers: { ...whole.headers, 'content-length': String(600_000_000 + random.below(1000)) },
      end: 'never',
    }),
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[];

function halved(whole: ApiReply, end: 'reset' | 'never'): ApiReply {
  const bytes = Buffer.concat(whole.chunks.map((chunk) => chunk.bytes));
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

/** A failure that a caller's call has met. */
interface Met {
  readonly at: number;
  readonly caller: number;
  readonly fault: FaultName;
}

// A rate limit is kept for five minutes at most; what a stream or a probe met shows shortly after.
const remembered = (fault: FaultName): number => (fault === 's429' ? 330_000 : 45_000);

/** Which faults there are and were, and whom they met. */
export class FaultLog {
  readonly #spans: FaultSpan[] = [];
  #met: Met[] = [];

  add(span: FaultSpan): void {
    this.#spans.push(span);
  }

  /** The fault of a call that comes now; null where it has none. */
  decide({ path }: ApiRequest, caller: number, now: number, random: Random): FaultName | null {
    for (const span of this.#spans) {
      const isIts = (span.caller ?? caller) === caller && (span.path ?? path) === path;
      if (isIts && span.from <= now && now < span.to && random.chance(span.share)) {
        this.note(span.fault, caller, now);
        return span.fault;
      }
    }
    return null;
  }

  note(fault: FaultName, caller: number, now: number): void {
    this.#met.push({ at: now, caller, fault });
    if (this.#met.length > 20_000) this.#met = this.#met.slice(10_000);
  }

  /** The codes of all errors that a caller may get within a span by what its own calls have met. */
  codesFor(caller: number, from: number, to: number): ReadonlySet<string> {
    const codes = new Set<string>();
    for (const met of this.#met) {
      if (met.caller !== caller || met.at > to || met.at < from - remembered(met.fault)) continue;
      for (const code of faults[met.fault].codes) codes.add(code);
      if (faults[met.fault].isFailure) codes.add('UPSTREAM_UNAVAILABLE').add('UPSTREAM_TIMEOUT');
    }
    return codes;
  }

  /** How many calls of a caller met a fault within a span. */
  countFor(caller: number, from: number, to: number): number {
    return this.#met.filter((met) => met.caller === caller && met.at >= from && met.at <= to).length;
  }
}
