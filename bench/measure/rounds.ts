import { spreadOf, type Spread } from './figures.ts';

/** The median, the least and the most of the rounds, and each of them. */
export interface RoundFigures extends Spread {
  readonly rounds: readonly number[];
}

/**
 * The order of a round. In every other one neighbours change places: what a drift of the machine adds to their ratio, it takes away in the
 * next. A round that went all the way back would keep the first waiting for two rounds, and V8 gives up compiled code in such pauses.
 */
export function inRound<Each>(each: readonly Each[], round: number): readonly Each[] {
  return round % 2 === 0 ? each : each.map((one, place) => each[place ^ 1] ?? one);
}

/**
 * How many times another's figures one's own are: the ratio of each round that has both, and of these the median, least and most; null
 * where no round has both. Of two ratios in the middle the geometric mean is the median, so that a ratio the other way round is 1
 * divided by it.
 */
export function pairedTimes(own: readonly number[], others: readonly number[]): Spread | null {
  const both = own.slice(0, others.length);
  const logarithms = both.map((figure, round) => Math.log(figure / (others[round] as number)));
  if (logarithms.length === 0) return null;
  const { median, min, max } = spreadOf(logarithms);
  return { median: Math.exp(median), min: Math.exp(min), max: Math.exp(max) };
}
