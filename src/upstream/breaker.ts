import { GatewayError } from '../errors.ts';
import type { Stage } from './client.ts';
import { UnsentError } from './wire-answer.ts';

export interface BreakerOptions {
  /** How long an open breaker refuses before it lets one call through to see, in milliseconds. */
  readonly openMs: number;
  readonly now?: () => number;
}

const windowMs = 10_000;
const leastCalls = 20;
const leastOtherCalls = 5;
const failureRate = 0.5;
// Callers beyond these are not judged by, or for, anybody: the memory of a breaker is bounded.
const mostCallers = 1_000;

/**
 * Stops calling an operation of which half the calls fail, and says UPSTREAM_UNAVAILABLE at once instead; by itself it lets
 * one call through after a while, and closes when that one is answered. Failures are the upstream's own: 5xx, no answer, no
 * answer in time. A refusal of what a caller asked for is none, and where one caller's calls alone fail, the breaker opens
 * for that caller alone.
 */
export function breakCircuit(options: BreakerOptions): Stage {
  const breakers = new Map<string, Breaker>();
  return (next) => async (request) => {
    const { name } = request.call.operation;
    const breaker = breakers.get(name) ?? new Breaker(options);
    breakers.set(name, breaker);
    const done = breaker.enter(request.caller.identity);
    try {
      const answer = await next(request);
      done(outcomeOf(answer.status));
      return answer;
    } catch (error) {
      // What was given up here, or not sent at all, says nothing of the upstream.
      done(!request.signal.aborted && isUpstreamFailure(error) ? 'failed' : 'unknown');
      throw error;
    }
  };
}

type Outcome = 'answered' | 'failed' | 'unknown';

// An unknown key and a used-up budget are refused by the edge, whatever state the operation behind it is in.
const saidByEdge = new Set([401, 429]);

function outcomeOf(status: number): Outcome {
  if (saidByEdge.has(status)) return 'unknown';
  return status >= 500 ? 'failed' : 'answered';
}

function isUpstreamFailure(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error instanceof UnsentError) return false;
  return error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNAVAILABLE';
}

interface Tally {
  calls: number;
  failures: number;
}

/** For whom a breaker is open (null: for all), and until when. Then one call at a time is to see. */
interface Opening {
  readonly identity: string | null;
  readonly until: number;
  isProbing: boolean;
  /** The caller whose call has seen and failed: with it alone, that may be its own fault. */
  failedFor?: string;
}

/** The breaker of one operation. */
class Breaker {
  readonly #openMs: number;
  readonly #now: () => number;
  readonly #openings = new Map<string | null, Opening>();
  readonly #tallies = new Map<string, Tally>();
  #all: Tally = { calls: 0, failures: 0 };
  #windowEnds = 0;
  #changed = -Infinity;

  constructor({ openMs, now = () => performance.now() }: BreakerOptions) {
    this.#openMs = openMs;
    this.#now = now;
  }

  /**
   * Returns what is to be told how the call went. Throws UPSTREAM_UNAVAILABLE while the breaker is open for this caller, but
   * for the one call that is to see.
   */
  enter(identity: string): (outcome: Outcome) => void {
    const started = this.#now();
    const openings = [this.#openings.get(null), this.#openings.get(identity)].filter((one) => one !== undefined);
    for (const { until, isProbing } of openings) if (started < until || isProbing) throw circuitOpen(until - started);
    for (const opening of openings) opening.isProbing = true;
    if (openings.length === 0) return (outcome) => this.#count(identity, outcome, started);
    return (outcome) => openings.forEach((opening) => this.#probed(opening, identity, outcome));
  }

  #probed(opening: Opening, identity: string, outcome: Outcome): void {
    opening.isProbing = false;
    if (outcome === 'answered') return this.#close(opening.identity);
    if (outcome === 'unknown') return undefined;
    const isOthersToo = opening.failedFor !== undefined && opening.failedFor !== identity;
    if (opening.identity !== null) return this.#open(identity);
    if (isOthersToo) return this.#open(null);
    // Nobody keeps the breaker open for others by bad requests: the next to see is somebody else, at once.
    opening.failedFor = identity;
    return this.#open(identity);
  }

  #open(identity: string | null): void {
    this.#openings.delete(identity);
    // The oldest goes: it is the likeliest to be over.
    const oldest = this.#openings.keys().find((name) => name !== null);
    if (this.#openings.size >= mostCallers && oldest !== undefined) this.#openings.delete(oldest);
    this.#openings.set(identity, { identity, until: this.#now() + this.#openMs, isProbing: false });
    this.#forget(identity);
  }

  #close(identity: string | null): void {
    this.#openings.delete(identity);
    this.#forget(identity);
  }

  #forget(identity: string | null): void {
    if (identity === null) {
      this.#tallies.clear();
      this.#all = { calls: 0, failures: 0 };
      this.#changed = this.#now();
      return;
    }
    const tally = this.#tallies.get(identity) ?? { calls: 0, failures: 0 };
    this.#tallies.delete(identity);
    this.#all.calls -= tally.calls;
    this.#all.failures -= tally.failures;
  }

  #count(identity: string, outcome: Outcome, started: number): void {
    if (outcome === 'unknown') return;
    // What was under way when the breaker opened has been judged, and must not keep it open.
    if (started < this.#changed || this.#openings.has(null) || this.#openings.has(identity)) return;
    if (this.#now() >= this.#windowEnds) {
      this.#tallies.clear();
      this.#all = { calls: 0, failures: 0 };
      this.#windowEnds = this.#now() + windowMs;
    }
    const own = this.#tallyOf(identity);
    if (own === undefined) return;
    for (const tally of [this.#all, own]) {
      tally.calls++;
      if (outcome === 'failed') tally.failures++;
    }
    if (outcome === 'failed') this.#judge(identity, own);
  }

  #tallyOf(identity: string): Tally | undefined {
    const known = this.#tallies.get(identity);
    if (known !== undefined || this.#tallies.size >= mostCallers) return known;
    const tally = { calls: 0, failures: 0 };
    this.#tallies.set(identity, tally);
    return tally;
  }

  #judge(identity: string, own: Tally): void {
    if (isFailing(this.#all, leastCalls) && isFailing(this.#allButWorst(), leastOtherCalls)) return this.#open(null);
    if (isFailing(own, leastCalls)) this.#open(identity);
  }

  #allButWorst(): Tally {
    let worst: Tally = { calls: 0, failures: 0 };
    for (const tally of this.#tallies.values()) if (tally.failures > worst.failures) worst = tally;
    return { calls: this.#all.calls - worst.calls, failures: this.#all.failures - worst.failures };
  }
}

function isFailing({ calls, failures }: Tally, leastOfCalls: number): boolean {
  return calls >= leastOfCalls && failures / calls >= failureRate;
}

function circuitOpen(waitMs: number): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'The upstream keeps failing at this operation; it is left alone for a moment.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
