import { spreadOf, type Spread } from '../measure/figures.ts';
import { short } from '../report/figure.ts';
import { markdownTable } from '../report/markdown.ts';
import { timesOf, type Pair } from '../report/times.ts';
import type { LoadFigures } from '../suites/load-figures.ts';
import type { Measured } from './measured.ts';

type Latest = Pick<Measured['latest'], 'load' | 'breakdown' | 'newOperation'>;

/** A figure and the target that it has; null where it was not measured. */
export interface Aim {
  readonly result: number | null;
  readonly target: number;
  /** Whether more is better. */
  readonly isLeast?: boolean;
}

const queries = ['q1', 'q2', 'q3', 'q4', 'q6'] as const;
type Query = (typeof queries)[number];

/** A target of each query: what is measured, in words, and how. */
interface QueryAim {
  readonly name: string;
  readonly targets: Readonly<Record<Query, number>>;
  readonly isLeast?: boolean;
  measure(load: readonly LoadFigures[], query: Query): number | null;
}

const same = (target: number): Readonly<Record<Query, number>> => ({
  q1: target,
  q2: target,
  q3: target,
  q4: target,
  q6: target,
});

const medianOf = (times: Spread | null): number | null => times?.median ?? null;

/** The same of the most memory, of which no round has a figure of its own. */
function peakTimes(load: readonly LoadFigures[], query: string, pair: Pair): number | null {
  const [own, other] = pair.map(
    (name) => load.find((figures) => figures.query === query && figures.contender === name)?.peakMebibytes,
  );
  return own === undefined || other === undefined ? null : own / other;
}

const ours = ['switchboard', 'floor'] as const;
const piped = ['switchboard', 'floor-piping'] as const;
const ofPipe = { q1: 1.9, q2: 1.8, q3: 1.8, q4: 1.6, q6: 1.9 };

const queryAims: readonly QueryAim[] = [
  {
    name: 'CPU, × the floor',
    targets: { q1: 2, q2: 1.7, q3: 1.8, q4: 1.6, q6: 1.7 },
    measure: (load, query) => medianOf(timesOf(load, query, ours)),
  },
  {
    name: 'CPU, × the floor that pipes',
    targets: ofPipe,
    measure: (load, query) => medianOf(timesOf(load, query, piped)),
  },
  {
    name: 'CPU by `edges { cursor node }`, × the floor that pipes',
    targets: ofPipe,
    measure: (load, query) => medianOf(timesOf(load, `${query}e`, piped)),
  },
  {
    name: 'CPU with variables that never repeat, × the floor',
    targets: { q1: 2.2, q2: 1.8, q3: 1.9, q4: 1.9, q6: 1.9 },
    measure: (load, query) => medianOf(timesOf(load, `${query}v`, ours)),
  },
  {
    name: 'CPU of Mercurius, × Switchboard',
    targets: { q1: 1.9, q2: 8, q3: 4, q4: 1.5, q6: 2.5 },
    isLeast: true,
    measure: (load, query) => medianOf(timesOf(load, query, ['mercurius', 'switchboard'])),
  },
  {
    name: 'p99 at half of saturation, × the floor',
    targets: same(1.5),
    measure: (load, query) => medianOf(timesOf(load, `${query}v`, ours, 'p99Ms')),
  },
  {
    name: 'peak memory, × the floor',
    targets: same(1.3),
    measure: (load, query) => peakTimes(load, query, ours),
  },
];

/** Whether a target of a query is held, as both are shown: by one digit behind the point. */
export function isHeld({ result, target, isLeast = false }: Aim): boolean {
  if (result === null) return false;
  const shown = Math.round(result * 10) / 10;
  return isLeast ? shown >= target : shown <= target;
}

function cellOf(aim: Aim): string {
  if (aim.result === null) return '–';
  const text = `${aim.result.toFixed(1)} (${aim.target.toFixed(1)})`;
  return isHeld(aim) ? text : `**${text}**`;
}

const mostOf = (figures: readonly (number | null | undefined)[]): number | null => {
  const known = figures.filter((figure) => figure != null);
  return known.length === 0 ? null : Math.max(...known);
};

/** Targets of the whole, with their units. */
function wholeAims({ load, breakdown, newOperation }: Latest): readonly (Aim & { readonly name: string })[] {
  const own = load.filter(({ contender }) => contender === 'switchboard');
  const report = breakdown?.find(({ contender }) => contender === 'switchboard');
  const idle = own.length === 0 ? null : spreadOf(own.map(({ idleMebibytes }) => idleMebibytes)).median;
  const holds = own.flatMap(({ loopHeldMs, saturatedLoopHeldMs }) => [loopHeldMs?.max, saturatedLoopHeldMs?.max]);
  const unknown = newOperation?.find(({ contender }) => contender === 'switchboard');
  return [
    // What it was when the targets were set, on 20 November 2026, and so for one caller.
    { name: 'memory after the start, median MiB', result: idle, target: 144 },
    { name: 'CPU of Q1 for one caller, × the floor', result: medianOf(timesOf(load, 'q1one', ours)), target: 2 },
    { name: 'an operation never seen before, median ms', result: unknown?.medianMs ?? null, target: 2 },
    {
      name: 'the longest hold of the event loop under load, ms',
      result: mostOf(holds),
      target: 15,
    },
    {
      name: 'the same while a report of 20,000 numbers is read that is new, ms',
      result: report?.freshLoop?.heldMs ?? null,
      target: 15,
    },
  ];
}

/** The targets of each query, and those of the whole, as two tables in Markdown; bold where one is missed. */
export function targetsBlock(latest: Latest): string {
  const rows = queryAims.map(({ name, targets, isLeast = false, measure }) => [
    name,
    ...queries.map((query) => cellOf({ result: measure(latest.load, query), target: targets[query], isLeast })),
  ]);
  const table = markdownTable(['result (target)', ...queries.map((query) => query.toUpperCase())], rows);
  const wholes = wholeAims(latest).map((aim) => [
    aim.name,
    aim.result === null ? '–' : short(aim.result),
    String(aim.target),
    // These are shown as exactly as they are compared: 2.01 is more than 2.
    aim.result === null ? '–' : aim.result <= aim.target ? 'yes' : '**no**',
  ]);
  return `${table}\n\n${markdownTable(['target', 'result', 'at most', 'held'], wholes)}`;
}
