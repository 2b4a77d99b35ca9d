import { spreadOf, type Spread } from '../measure/figures.ts';
import type { RoundFigures } from '../measure/rounds.ts';

/** The figures of one contender with one query. */
export interface LoadFigures {
  readonly query: string;
  readonly contender: string;
  readonly answerBytes: number;
  /** At saturation: processor time of the server's process tree, user and system. */
  readonly cpuMicrosPerRequest: RoundFigures;
  readonly requestsPerSecond: Spread;
  readonly upstreamCallsPerRequest: Spread;
  /** At the fixed rate, in requests a second; null where the query is not sent at one, and so are those below. */
  readonly rate: number | null;
  /** How many requests a sample at that rate has: with few, p99 is the slowest of them. */
  readonly paced: number | null;
  readonly p50Ms: Spread | null;
  readonly p99Ms: RoundFigures | null;
  readonly loopHeldMs: Spread | null;
  readonly loopP99Ms: Spread | null;
  /** The same at saturation. */
  readonly saturatedLoopHeldMs: Spread | null;
  readonly startMs: number;
  readonly idleMebibytes: number;
  readonly peakMebibytes: number;
  /** How busy the core of load and upstream was at most, 1 for fully; and the server's tree at saturation. */
  readonly loadCore: number;
  readonly serverCore: number;
}

/** What one round shows of a contender at saturation. */
export interface Sample {
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly calls: number;
  readonly saturatedLoopHeld: number | null;
  readonly loadCore: number;
  readonly serverCore: number;
}

/** What one round shows of a contender at the fixed rate; times in milliseconds. */
export interface Pace {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly loopHeld: number | null;
  readonly loopP99: number | null;
}

/** What is measured once of a contender. */
type Once = Pick<
  LoadFigures,
  'query' | 'contender' | 'answerBytes' | 'rate' | 'startMs' | 'idleMebibytes' | 'peakMebibytes'
>;

/** Joins the rounds at saturation, and those at the fixed rate, of which there may be none. */
export function joinRounds(once: Once, samples: readonly Sample[], paces: readonly Pace[]): LoadFigures {
  const spread = (pick: (sample: Sample) => number): Spread => spreadOf(samples.map(pick));
  const p99 = paces.map((pace) => pace.p99);
  return {
    ...once,
    cpuMicrosPerRequest: overRounds(samples.map((sample) => sample.cpuMicros)),
    requestsPerSecond: spread((sample) => sample.perSecond),
    upstreamCallsPerRequest: spread((sample) => sample.calls),
    paced: paces[0]?.requests ?? null,
    p50Ms: overKnown(paces.map((pace) => pace.p50)),
    p99Ms: p99.length === 0 ? null : overRounds(p99),
    loopHeldMs: overKnown(paces.map((pace) => pace.loopHeld)),
    loopP99Ms: overKnown(paces.map((pace) => pace.loopP99)),
    saturatedLoopHeldMs: overKnown(samples.map((sample) => sample.saturatedLoopHeld)),
    loadCore: spread((sample) => sample.loadCore).max,
    serverCore: spread((sample) => sample.serverCore).median,
  };
}

/** The spread of the rounds, and each of them: ratios are taken within a round. */
function overRounds(rounds: readonly number[]): RoundFigures {
  return { ...spreadOf(rounds), rounds };
}

/** The spread of the figures that there are; null where there is none. */
function overKnown(figures: readonly (number | null)[]): Spread | null {
  const known = figures.filter((figure) => figure !== null);
  return known.length === 0 ? null : spreadOf(known);
}
