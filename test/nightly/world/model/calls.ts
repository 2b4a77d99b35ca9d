import type { ApiCall } from './api.ts';
import type { ModelSettings } from './settings.ts';

// After these, another attempt brings the same. A reset may take with it what had come, so that nothing has.
const hopeless: ReadonlySet<string> = new Set([
  's400',
  's401',
  's403',
  's404',
  's422',
  's500',
  'validation',
  'html',
  'shape',
  'truncated',
  'redirect',
  'oddSuccess',
  'stall',
  'refusal',
]);

// No call takes longer, retries included.
const longestCallMs = 60_000;

interface CallLogParts {
  readonly settings: ModelSettings;
  readonly breach: (promise: string, detail: string) => void;
  /** Whether the API refuses the key of a caller now. */
  readonly isRevoked: (caller: number) => boolean;
}

/** A rate limit that a replica has been told of. */
interface Limit {
  readonly replica: number;
  readonly caller: number;
  readonly toldAt: number;
  readonly until: number;
}

/** The calls that came to the API, and what they tell of those who made them. */
export class CallLog {
  readonly #parts: CallLogParts;
  /** Where requests were sent, by their names. */
  readonly #replicas = new Map<string, number>();
  readonly #limits: Limit[] = [];
  /** When the API refused a key last, by caller and replica. */
  readonly #refusals = new Map<string, number>();
  /** Until when the API has accepted a key last, by caller and replica. */
  readonly #accepted = new Map<string, number>();
  #calls: ApiCall[] = [];

  constructor(parts: CallLogParts) {
    this.#parts = parts;
  }

  /** Tells to which replica a request goes. */
  expect(requestId: string, replica: number): void {
    this.#replicas.set(requestId, this.#served(replica));
  }

  note(call: ApiCall): void {
    this.#judgeLimit(call);
    this.#noteRefusal(call);
    this.#noteAcceptance(call);
    this.#judgeRetry(call);
    this.#calls.push(call);
    if (this.#calls.length > 20_000) this.#calls = this.#calls.filter(({ until }) => until > call.at - longestCallMs);
  }

  #served(replica: number): number {
    return replica % this.#parts.settings.replicas;
  }

  /** A rate limit that is used up costs no call: each replica respects what it was told itself. */
  #judgeLimit({ at, caller, requestId, path, limitedUntil }: ApiCall): void {
    const replica = this.#replicas.get(requestId);
    if (replica === undefined || caller === null) return;
    const told = this.#limits.find(
      (each) =>
        each.replica === replica && each.caller === caller && each.toldAt + 1_000 < at && at < each.until - 1_500,
    );
    if (told !== undefined)
      this.#parts.breach(
        'a used-up rate limit costs no call',
        `${path} of ${caller}, ${told.until - at} ms before the reset`,
      );
    if (limitedUntil > 0)
      this.#limits.push({ replica, caller, toldAt: at, until: Math.min(limitedUntil, at + 300_000) });
  }

  /** What cannot get better is not asked for again. */
  #judgeRetry({ requestId, path, query }: ApiCall): void {
    if (!this.#replicas.has(requestId)) return;
    const before = this.#calls.find(
      (call) =>
        call.requestId === requestId && call.path === path && call.query === query && hopeless.has(call.fault ?? ''),
    );
    if (before !== undefined)
      this.#parts.breach('only failures worth it are retried', `${path}?${query} after ${before.fault}`);
  }

  #noteRefusal({ caller, requestId, until, fault }: ApiCall): void {
    const replica = this.#replicas.get(requestId);
    if (replica === undefined || caller === null || fault !== 'refusal' || !this.#parts.isRevoked(caller)) return;
    this.#refusals.set(`${caller} ${this.#served(replica)}`, until);
    this.#accepted.delete(`${caller} ${this.#served(replica)}`);
  }

  /** Tells that a replica must know by now that a key is refused, where another one has seen it since it is. */
  hearRefusal(caller: number, replica: number, since: number, now: number): void {
    const seenAt = this.refusedAt(caller, 1 - this.#served(replica));
    const isSeen = seenAt >= since && seenAt <= now;
    if (this.#parts.settings.isShared && isSeen) this.#refusals.set(`${caller} ${this.#served(replica)}`, now);
  }

  #noteAcceptance({ caller, requestId, until, fault }: ApiCall): void {
    const replica = this.#replicas.get(requestId);
    if (replica !== undefined && fault === null) this.#accepted.set(`${caller} ${this.#served(replica)}`, until);
  }

  /** When a replica saw last that the API accepts a key; minus infinity where it has not. */
  acceptedAt(caller: number, replica: number): number {
    return this.#accepted.get(`${caller} ${this.#served(replica)}`) ?? -Infinity;
  }

  /** When a replica learned last that a key is refused; infinity where it has not. */
  refusedAt(caller: number, replica: number): number {
    return this.#refusals.get(`${caller} ${this.#served(replica)}`) ?? Infinity;
  }

  /** The calls of a caller within a span. */
  within(caller: number, from: number, to: number): readonly ApiCall[] {
    return this.#calls.filter((call) => call.caller === caller && call.at >= from && call.at <= to);
  }

  /** The calls that a request caused. */
  of(requestId: string): readonly ApiCall[] {
    return this.#calls.filter((call) => call.requestId === requestId);
  }

  /** Since when what an answer shows may have been so: a call that was under way already may be shared. */
  since(caller: number, from: number): number {
    const shared = this.#calls.filter((call) => call.caller === caller && call.at < from && call.until >= from);
    return Math.min(from, ...shared.map(({ at }) => at));
  }

  /** The calls of a caller that were under way within a span. */
  during(caller: number, from: number, to: number): readonly ApiCall[] {
    return this.#calls.filter((call) => call.caller === caller && call.until >= from && call.at <= to);
  }
}
