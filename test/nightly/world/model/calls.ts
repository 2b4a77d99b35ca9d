import type { ApiCall } from './api.ts';

// No call takes longer, retries included.
const longestCallMs = 60_000;
// The gateway believes a limit for so long at most.
const longestLimitMs = 300_000;

/** A rate limit that a replica has been told of. */
interface Limit {
  readonly replica: number;
  readonly caller: number;
  readonly path: string;
  readonly toldAt: number;
  readonly until: number;
}

/** The calls that came to the API, and what they tell of those who made them. */
export class CallLog {
  readonly #breach: (promise: string, detail: string) => unknown;
  /** Where requests were sent, by their names. */
  readonly #replicas = new Map<string, number>();
  readonly #limits: Limit[] = [];
  #calls: ApiCall[] = [];

  constructor(breach: (promise: string, detail: string) => unknown) {
    this.#breach = breach;
  }

  /** Tells to which replica a request goes. */
  expect(requestId: string, replica: number): void {
    this.#replicas.set(requestId, replica);
  }

  note(call: ApiCall): void {
    this.#judgeLimit(call);
    this.#calls.push(call);
    if (this.#calls.length > 20_000) this.#calls = this.#calls.filter(({ until }) => until > call.at - longestCallMs);
  }

  /** Each replica respects what it was told itself. */
  #judgeLimit({ at, caller, requestId, path, limitedUntil }: ApiCall): void {
    const replica = this.#replicas.get(requestId);
    if (replica === undefined || caller === null) return;
    const told = this.#limits.find(
      (each) =>
        each.replica === replica &&
        each.caller === caller &&
        each.path === path &&
        each.toldAt + 1_000 < at &&
        at < each.until - 1_500,
    );
    if (told !== undefined)
      this.#breach(
        'a used-up rate limit costs no call',
        `${path} of ${caller}, ${told.until - at} ms before the reset`,
      );
    if (limitedUntil > 0)
      this.#limits.push({ replica, caller, path, toldAt: at, until: Math.min(limitedUntil, at + longestLimitMs) });
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
}
