import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Client, type Asked } from './client.ts';
import type { Contender } from './contenders.ts';
import { cpuMicrosOf, peakResidentOf, residentOf } from './process-tree.ts';
import { startProgram, type Program } from './program.ts';
import type { BenchQuery } from './queries.ts';

/** How long a run is. */
export interface Length {
  readonly rounds: number;
  /** Of each sample. */
  readonly seconds: number;
  /** Requests before the rounds, and the most processor time that they may take. */
  readonly warmUpRequests: number;
  readonly warmUpSeconds: number;
}

/** What one contender takes for one query. */
export interface Figures {
  readonly query: string;
  readonly contender: string;
  /** Processor time of a request, user and system, garbage collection and compilation included: the median of the rounds. */
  readonly micros: number;
  /** How many times the floor's: the median of the rounds' ratios. */
  readonly timesFloor: number;
  /** What each of the first thousand requests of the process took on the average, as a multiple of `micros`. */
  readonly firstThousand: number;
  readonly callsOfRequest: number;
  readonly idleMebibytes: number;
  readonly peakMebibytes: number;
}

/** A process of a contender, ready for load. */
interface Player {
  readonly contender: Contender;
  readonly program: Program;
  readonly client: Client;
  readonly asked: Asked;
  readonly bytes: number;
  readonly idleMebibytes: number;
  /** Processor time of each of the first thousand requests, in microseconds. */
  readonly firstMicros: number;
  readonly rounds: number[];
}

// What a contender does within this time after its last response is charged to it, and not to the next one.
const afterworkMs = 30;
const firstRequests = 1_000;

const median = (figures: readonly number[]): number => {
  const sorted = [...figures].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
};

/** Sends requests and returns how many, and the processor time of each. */
async function load({ program, client, asked, bytes }: Player, amount: { seconds?: number; most?: number }) {
  const before = cpuMicrosOf(program.pid);
  const sent = await client.saturate(asked, bytes, amount);
  await sleep(afterworkMs);
  return { sent, micros: (cpuMicrosOf(program.pid) - before) / sent };
}

/** Starts a contender, and sends it its first thousand requests. Null where it cannot answer the query. */
async function start(contender: Contender, query: BenchQuery, baseUrl: string): Promise<Player | null> {
  const asked = contender.asks(query);
  const prepared = contender.prepare?.(baseUrl);
  if (asked === null || prepared === null) return null;
  const env = { ...contender.env, UPSTREAM_BASE_URL: baseUrl };
  const program = await startProgram({ ...prepared, args: contender.args, env, core: '1' });
  const isReady = async (): Promise<boolean> =>
    contender.readiness === undefined || (await fetch(program.origin + contender.readiness)).ok;
  while (!(await isReady())) await sleep(20);
  const client = new Client(program.origin);
  const idleMebibytes = residentOf(program.pid);
  const before = cpuMicrosOf(program.pid);
  const { length } = await client.read(asked);
  const player = { contender, program, client, asked, bytes: length, idleMebibytes, firstMicros: 0, rounds: [] };
  await load(player, { most: firstRequests - 1 });
  return { ...player, firstMicros: (cpuMicrosOf(program.pid) - before) / firstRequests };
}

const cursors = new Set(['cursor', 'startCursor', 'endCursor']);

/** The data of a response, with blank cursors, since each contender has its own. */
function dataOf(body: Buffer): unknown {
  const { data, errors } = JSON.parse(body.toString(), (name, value: unknown) =>
    cursors.has(name) && typeof value === 'string' ? '<cursor>' : value,
  ) as { readonly data?: unknown; readonly errors?: unknown };
  if (errors === undefined && data != null) return data;
  throw new Error(`errors instead of data: ${JSON.stringify(errors).slice(0, 1_000)}`);
}

/** Throws where two contenders answer a query otherwise. */
async function compare(players: readonly Player[], query: BenchQuery): Promise<void> {
  let first: unknown = null;
  for (const { contender, client, asked } of players) {
    if (contender.rename === null) continue;
    const data = contender.rename(dataOf(await client.read(asked)));
    first ??= data;
    if (isDeepStrictEqual(first, data)) continue;
    const [one, other] = [first, data].map((value) => JSON.stringify(value));
    const at = [...(one ?? '')].findIndex((letter, place) => letter !== other?.[place]);
    const shown = (text = '') => text.slice(Math.max(0, at - 60), at + 60);
    throw new Error(`${contender.title} answers ${query.name} otherwise: ${shown(other)}, not ${shown(one)}`);
  }
}

/** Sends so many requests, or what so many seconds of processor time are enough for. */
async function warmUp(player: Player, { warmUpRequests, warmUpSeconds }: Length): Promise<void> {
  const until = cpuMicrosOf(player.program.pid) + warmUpSeconds * 1e6;
  let left = warmUpRequests;
  while (left > 0 && cpuMicrosOf(player.program.pid) < until)
    left -= (await load(player, { seconds: 0.1, most: left })).sent;
}

/**
 * Sends one query to all contenders, each in a fresh process on a core of its own. A round has a sample of each, one right behind the
 * other, so that a busy host slows them alike; in every other round neighbours change places.
 */
export async function measureQuery(
  query: BenchQuery,
  contenders: readonly Contender[],
  api: Program,
  length: Length,
): Promise<readonly Figures[]> {
  const players: Player[] = [];
  try {
    for (const contender of contenders) {
      const player = await start(contender, query, `${api.origin}/v2`);
      if (player !== null) players.push(player);
    }
    await compare(players, query);
    for (const player of players.toReversed()) await warmUp(player, length);
    const calls = new Map<Player, number>();
    const count = async (): Promise<number> => Number(await (await fetch(`${api.origin}/count`)).text());
    for (let round = -1; round < length.rounds; round++) {
      for (const place of players.keys()) {
        const player = players[round % 2 === 0 ? place : place ^ 1] ?? (players[place] as Player);
        await count();
        const { sent, micros } = await load(player, { seconds: length.seconds });
        calls.set(player, (await count()) / sent);
        // Behind the warm-up of the others V8 compiles some of its code anew.
        if (round >= 0) player.rounds.push(micros);
      }
    }
    const floor = players.find(({ contender }) => contender.rename === null);
    return players.map((player) => figuresOf(player, query, calls.get(player) ?? 0, floor?.rounds ?? []));
  } finally {
    await Promise.all(players.map(({ client }) => client.close()));
    await Promise.all(players.map(({ program }) => program.stop()));
  }
}

function figuresOf(player: Player, query: BenchQuery, calls: number, floor: readonly number[]): Figures {
  const micros = median(player.rounds);
  const tidy = (figure: number): number => Number(figure.toPrecision(4));
  return {
    query: query.name,
    contender: player.contender.name,
    micros: tidy(micros),
    timesFloor: tidy(median(player.rounds.map((own, round) => own / (floor[round] ?? NaN)))),
    firstThousand: tidy(player.firstMicros / micros),
    callsOfRequest: tidy(calls),
    idleMebibytes: Math.round(player.idleMebibytes),
    peakMebibytes: Math.round(peakResidentOf(player.program.pid)),
  };
}
