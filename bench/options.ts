import { parseArgs } from 'node:util';
import { contenders, type Contender } from './contenders.ts';

/** What is run, and for how long. */
export interface Options {
  readonly contenders: readonly Contender[];
  /** Names of queries; null stands for all. */
  readonly queries: ReadonlySet<string> | null;
  readonly rounds: number;
  /** In how many of them the contenders take part that are far. */
  readonly farRounds: number;
  /** Of each sample at saturation. */
  readonly seconds: number;
  /** Latencies need fewer samples, and longer ones. */
  readonly pacedRounds: number;
  readonly pacedSeconds: number;
  /** The most processor time for which a contender is warmed up; fast ones are done when they have answered so many requests. */
  readonly warmUpSeconds: number;
  readonly farWarmUpSeconds: number;
  readonly warmUpRequests: number;
  readonly connections: number;
  readonly keys: number;
  /** Whether nothing was left out or shortened, so that the results may be kept. */
  readonly isWhole: boolean;
}

// V8 compiles hardly anything anew behind so many requests of a query.
const settledAfter = 25_000;

const names = (list: string): readonly string[] => list.split(',').map((name) => name.trim());

function chosenOf(list: string): readonly Contender[] {
  return names(list).map((name) => {
    const found = contenders.find((contender) => contender.name === name);
    if (found !== undefined) return found;
    throw new Error(`--only knows ${contenders.map((contender) => contender.name).join(', ')}, not ${name}.`);
  });
}

/** Reads the command line; see the README here. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: contenders.map(({ name }) => name).join(',') },
      queries: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
      connections: { type: 'string', default: '16' },
      keys: { type: 'string', default: '64' },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 4 : 48));
  const warmUpSeconds = Number(values['warm-up'] ?? (values.quick ? 2 : 12));
  return {
    contenders: chosenOf(values.only),
    queries: values.queries === undefined ? null : new Set(names(values.queries)),
    rounds,
    farRounds: Math.min(rounds, 3),
    seconds: Number(values.seconds ?? 0.1),
    pacedRounds: Math.ceil(rounds / 6),
    pacedSeconds: 0.6,
    warmUpSeconds,
    farWarmUpSeconds: warmUpSeconds / 3,
    warmUpRequests: settledAfter,
    connections: Number(values.connections),
    keys: Number(values.keys),
    isWhole: args.length === 0,
  };
}
