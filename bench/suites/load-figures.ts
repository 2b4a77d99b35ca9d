import { spreadOf, type Spread } from '../measure/figures.ts';

/** The figures of one contender with one query. */
export interface LoadFigures {
  readonly query: string;
  readonly contender: string;
  readonly answerBytes: number;
  /** At saturation: processor time of the server's process tree, user and system. */
  readonly cpuMicrosPerRequest: Spread;
  readonly requestsPerSecond: Spread;
  readonly upstreamCallsPerRequest: Spread;
  /** At the fixed rate, in requests a second; null where the query is not sent at one, and so are those below. */
  readonly rate: number | null;
  /** How many requests a sample at that rate has: with few, p99 is the slowest of them. */
  readonly paced: number | null;
  readonly p50Ms: Spread | null;
  readonly p99Ms: Spread | null;
  readonly loopMaxMs: Spread | null;
  readonly loopP99Ms: Spread | null;
  /** The same at saturation. */
  readonly saturatedLoopMaxMs: Spread | null;
  readonly startMs: number;
  readonly idleMebibytes: number;
  readonly peakMebibytes: number;
  /** How busy the core of load and upstream was at most, 1 for fully; and the server's tree at saturation. */
  readonly loadCore: number;
  readonly serverCore: number;
}

/** What one round shows of a contender. */
export interface Sample {
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly calls: number;
  readonly saturatedLoopMax: number | null;
  readonly loadCore: number;
  readonly serverCore: number;
  /** Null where the query is not sent at a fixed rate. */
  readonly pace: Pace | null;
}

/** The same at the fixed rate; times in milliseconds. */
export interface Pace {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly loopMax: number | null;
  readonly loopP99: number | null;
}

/** What is measured once of a contender. */
type Once = Pick<
  LoadFigures,
  'query' | 'contender' | 'answerBytes' | 'rate' | 'startMs' | 'idleMebibytes' | 'peakMebibytes'
>;

/** Joins the rounds. */
export function joinSamples(once: Once, samples: readonly Sample[]): LoadFigures {
  const spread = (pick: (sample: Sample) => number): Spread => spreadOf(samples.map(pick));
  const known = (pick: (sample: Sample) => number | null | undefined): Spread | null => {
    const figures = samples.map(pick).filter((figure) => figure != null);
    return figures.length === 0 ? null : spreadOf(figures);
  };
  return {
    ...once,
    cpuMicrosPerRequest: spread((sample) => sample.cpuMicros),
    requestsPerSecond: spread((sample) => sample.perSecond),
    upstreamCallsPerRequest: spread((sample) => sample.calls),
    paced: samples[0]?.pace?.requests ?? null,
    p50Ms: known((sample) => sample.pace?.p50),
    p99Ms: known((sample) => sample.pace?.p99),
    loopMaxMs: known((sample) => sample.pace?.loopMax),
    loopP99Ms: known((sample) => sample.pace?.loopP99),
    saturatedLoopMaxMs: known((sample) => sample.saturatedLoopMax),
    loadCore: spread((sample) => sample.loadCore).max,
    serverCore: spread((sample) => sample.serverCore).median,
  };
}
