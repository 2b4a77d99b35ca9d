import { GatewayError } from '../errors.ts';
import type { Stage } from './client.ts';

export interface BreakerOptions {
  /** How long an open breaker refuses before it lets one call through to see, in milliseconds. */
  readonly openMs: number;
  readonly now?: () => number;
}

const windowMs = 10_000;
const leastCalls = 20;
const leastOtherCalls = 5;
const failureRate = 0.5;
// Callers beyond these are counted together: the memory of a breaker is bounded.
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
    const { identity } = request.caller;
    const breaker = breakers.get(name) ?? new Breaker(options);
    breakers.set(name, breaker);
    const pass = breaker.enter(identity);
    try {
      const answer = await next(request);
      pass.done(answer.status >= 500 ? 'failed' : 'answered');
      return answer;
    } catch (error) {
      pass.done(error instanceof GatewayError && isUpstreamFailure(error) ? 'failed' : 'unknown');
      throw error;
    }
  };
}

function isUpstreamFailure({ code, retryAfterSeconds }: GatewayError): boolean {
  // What another stage refused, with a time to come back, says nothing of the upstream.
  return (code === 'UPSTREAM_TIMEOUT' || code === 'UPSTREAM_UNAVAILABLE') && retryAfterSeconds === undefined;
}

type Outcome = 'answered' | 'failed' | 'unknown';

interface Pass {
  readonly done: (outcome: Outcome) => void;
}

interface Tally {
  calls: number;
  failures: number;
}

/** Since when, and for whom, a breaker is open: for one caller, or for all (null). */
interface Opening {
  readonly identity: string | null;
  readonly until: number;
  isProbing: boolean;
}

class Breaker {
  readonly #openMs: number;
  readonly #now: () => number;
  readonly #openings = new Map<string | null, Opening>();
  #tallies = new Map<string, Tally>();
  #windowEnds = 0;

  constructor({ openMs, now = () => performance.now() }: BreakerOptions) {
    this.#openMs = openMs;
    this.#now = now;
  }

  /** Throws UPSTREAM_UNAVAILABLE while the breaker is open for this caller, but for the one call that is to see. */
  enter(identity: string): Pass {
    const opening = this.#openings.get(null) ?? this.#openings.get(identity);
    if (opening === undefined) return { done: (outcome) => this.#count(identity, outcome) };
    const waitMs = opening.until - this.#now();
    if (waitMs > 0 || opening.isProbing) throw circuitOpen(waitMs);
    opening.isProbing = true;
    return { done: (outcome) => this.#probed(opening, outcome) };
  }

  #probed(opening: Opening, outcome: Outcome): void {
    opening.isProbing = false;
    if (outcome === 'answered') this.#openings.delete(opening.identity);
    if (outcome === 'failed') this.#open(opening.identity);
    if (outcome !== 'unknown') this.#tallies = new Map();
  }

  #open(identity: string | null): void {
    this.#openings.set(identity, { identity, until: this.#now() + this.#openMs, isProbing: false });
  }

  #count(identity: string, outcome: Outcome): void {
    if (outcome === 'unknown') return;
    if (this.#now() >= this.#windowEnds) {
      this.#tallies = new Map();
      this.#windowEnds = this.#now() + windowMs;
    }
    const name = this.#tallies.size < mostCallers || this.#tallies.has(identity) ? identity : '';
    const tally = this.#tallies.get(name) ?? { calls: 0, failures: 0 };
    tally.calls++;
    if (outcome === 'failed') tally.failures++;
    this.#tallies.set(name, tally);
    if (outcome === 'failed') this.#judge(identity, tally);
  }

  #judge(identity: string, own: Tally): void {
    const all = sum([...this.#tallies.values()]);
    if (all.calls >= leastCalls && isFailing(all)) {
      const others = sum([...this.#tallies.values()].filter((tally) => tally !== worst(this.#tallies)));
      if (others.calls >= leastOtherCalls && isFailing(others)) return this.#open(null);
    }
    return own.calls >= leastCalls && isFailing(own) ? this.#open(identity) : undefined;
  }
}

function sum(tallies: readonly Tally[]): Tally {
  const total = { calls: 0, failures: 0 };
  for (const { calls, failures } of tallies) {
    total.calls += calls;
    total.failures += failures;
  }
  return total;
}

function worst(tallies: ReadonlyMap<string, Tally>): Tally | undefined {
  return [...tallies.values()].sort((a, b) => b.failures - a.failures)[0];
}

function isFailing({ calls, failures }: Tally): boolean {
  return failures / calls >= failureRate;
}

function circuitOpen(waitMs: number): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', {
    message: 'The upstream keeps failing at this operation; it is left alone for a moment.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
