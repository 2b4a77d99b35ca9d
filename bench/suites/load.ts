import { setTimeout as sleep } from 'node:timers/promises';
import { compareAnswers } from './compared.ts';
import type { Contender } from '../contenders.ts';
import { Client, type Asked } from '../load/exchange.ts';
import { sendAtRate } from '../load/fixed-rate.ts';
import { saturate, type Work } from '../load/saturation.ts';
import { quantile, spreadOf, type Spread } from '../measure/figures.ts';
import { cpuMicrosOf, peakResidentOf } from '../measure/process-tree.ts';
import type { Options } from '../options.ts';
import type { BenchQuery } from '../queries.ts';
import { startContender, type Running, type Stage } from '../stage.ts';

/** The figures of one contender with one query. */
export interface LoadFigures {
  readonly query: string;
  readonly contender: string;
  readonly answerBytes: number;
  /** At saturation: processor time of the server's process tree, user and system. */
  readonly cpuMicrosPerRequest: Spread;
  readonly requestsPerSecond: Spread;
  readonly upstreamCallsPerRequest: Spread;
  /** At the fixed rate. */
  readonly rate: number;
  /** How many requests a sample at that rate has: with few, p99 is the slowest of them. */
  readonly paced: number;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
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

interface Sample {
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly calls: number;
  readonly paced: number;
  readonly p50: number;
  readonly p99: number;
  readonly loopMax: number | null;
  readonly loopP99: number | null;
  readonly saturatedLoopMax: number | null;
  readonly loadCore: number;
  readonly serverCore: number;
}

interface Player {
  readonly running: Running;
  readonly client: Client;
  readonly bytes: number;
  /** The next request. */
  readonly next: () => Work;
  readonly samples: Sample[];
  warmPerSecond: number;
}

async function compare(started: readonly Running[], query: BenchQuery, keys: number): Promise<readonly Player[]> {
  const players: Player[] = [];
  for (const running of started) {
    const client = new Client(running.origin, 64, keys);
    players.push({
      running,
      client,
      bytes: 0,
      next: requestsOf(running.contender, query, []),
      samples: [],
      warmPerSecond: 0,
    });
  }
  const lengths = new Map<Running, number[]>(started.map((running) => [running, []]));
  for (let turn = 0; turn < Math.min(query.turns ?? 1, mostCompared); turn++) {
    const comparison = compareAnswers(query.name);
    const bodies = new Map<Running, Buffer>();
    for (const { running, client } of players)
      bodies.set(running, await client.read(askedIn(running.contender, query, turn)));
    for (const running of switchboardFirst(started)) comparison.take(running.contender, bodies.get(running) as Buffer);
    for (const running of started) lengths.get(running)?.push(bodies.get(running)?.length ?? 0);
  }
  return players.map((player) => {
    const own = lengths.get(player.running) ?? [];
    return { ...player, bytes: own[0] ?? 0, next: requestsOf(player.running.contender, query, own) };
  });
}

// Of requests that never repeat a few are compared, as many as there are operations in turn.
const mostCompared = 20;

function askedIn(contender: Contender, query: BenchQuery, turn: number): Asked {
  return contender.asks({ ...query, ...query.vary?.(turn) });
}

/** The requests of a query, one after the other. Where they come again, they are made once. */
function requestsOf(contender: Contender, query: BenchQuery, lengths: readonly number[]): () => Work {
  const { turns = 1 } = query;
  let turn = 0;
  // What never repeats has not been compared: it is not sent again either.
  if (turns > mostCompared) return () => ({ asked: askedIn(contender, query, mostCompared + turn++), bytes: null });
  const all = Array.from({ length: turns }, (_, index) => ({
    asked: askedIn(contender, query, index),
    bytes: lengths[index] ?? null,
  }));
  return () => all[turn++ % turns] as Work;
}

function switchboardFirst(started: readonly Running[]): readonly Running[] {
  const rank = ({ contender }: Running): number => (contender.name === 'switchboard' ? 0 : 1);
  return [...started].sort((a, b) => rank(a) - rank(b));
}

async function sampleOf(stage: Stage, player: Player, options: Options, rate: number): Promise<Sample> {
  const { running, client, next } = player;
  await running.loopDelay();
  await stage.countCalls();
  const cpu = cpuMicrosOf(running.pid);
  const loadCpu = stage.loadCpuMicros();
  const saturated = await saturate(client, next, { atOnce: options.connections, seconds: options.seconds });
  const serverMicros = cpuMicrosOf(running.pid) - cpu;
  const loadCore = (stage.loadCpuMicros() - loadCpu) / 1e6 / saturated.seconds;
  const calls = await stage.countCalls();
  const saturatedLoop = await running.loopDelay();
  const fixed = await sendAtRate(client, next, { rate, seconds: options.seconds * 0.75 });
  const loop = await running.loopDelay();
  return {
    cpuMicros: serverMicros / saturated.requests,
    perSecond: saturated.requests / saturated.seconds,
    calls: calls / saturated.requests,
    paced: fixed.requests,
    p50: quantile(fixed.latencies, 0.5),
    p99: quantile(fixed.latencies, 0.99),
    loopMax: loop?.maxMs ?? null,
    loopP99: loop?.p99Ms ?? null,
    saturatedLoopMax: saturatedLoop?.maxMs ?? null,
    loadCore,
    serverCore: serverMicros / 1e6 / saturated.seconds,
  };
}

function figuresOf({ running, bytes, samples }: Player, query: BenchQuery, rate: number): LoadFigures {
  const spread = (pick: (sample: Sample) => number): Spread => spreadOf(samples.map(pick));
  const known = (pick: (sample: Sample) => number | null): Spread | null => {
    const figures = samples.map(pick).filter((figure) => figure !== null);
    return figures.length === 0 ? null : spreadOf(figures);
  };
  return {
    query: query.name,
    contender: running.contender.name,
    answerBytes: bytes,
    cpuMicrosPerRequest: spread((sample) => sample.cpuMicros),
    requestsPerSecond: spread((sample) => sample.perSecond),
    upstreamCallsPerRequest: spread((sample) => sample.calls),
    rate,
    paced: samples[0]?.paced ?? 0,
    p50Ms: spread((sample) => sample.p50),
    p99Ms: spread((sample) => sample.p99),
    loopMaxMs: known((sample) => sample.loopMax),
    loopP99Ms: known((sample) => sample.loopP99),
    saturatedLoopMaxMs: known((sample) => sample.saturatedLoopMax),
    startMs: running.startMs,
    idleMebibytes: running.idleMebibytes,
    peakMebibytes: peakResidentOf(running.pid),
    loadCore: spread((sample) => sample.loadCore).max,
    serverCore: spread((sample) => sample.serverCore).median,
  };
}

/**
 * Sends what it takes until V8 has settled, or as long as there is time for; returns how many requests a second there were. A slow
 * contender has fewer of them, and is far from the others whatever it does.
 */
async function warmUp(
  { client, next }: Player,
  { connections, warmUpSeconds, warmUpRequests }: Options,
): Promise<number> {
  const last = warmUpSeconds / 4;
  await saturate(client, next, { atOnce: connections, seconds: warmUpSeconds - last, most: warmUpRequests });
  const { requests, seconds } = await saturate(client, next, { atOnce: connections, seconds: last });
  return requests / seconds;
}

/**
 * Sends one query to all contenders: starts fresh processes, compares their responses, warms them up, and then measures each in
 * every round, at saturation and at one rate for all: half of what the slowest reached while it warmed up.
 */
export async function runLoad(stage: Stage, query: BenchQuery, given: Options): Promise<readonly LoadFigures[]> {
  const options = { ...given, connections: query.atOnce ?? given.connections };
  const started: Running[] = [];
  try {
    for (const contender of options.contenders)
      if (query.only?.includes(contender.name) ?? true)
        started.push(await startContender(stage, contender, query.half));
    if (started.length === 0) return [];
    const players = await compare(started, query, options.keys);
    for (const player of players) player.warmPerSecond = await warmUp(player, options);
    const rate = Math.max(1, Math.round(Math.min(...players.map((player) => player.warmPerSecond)) / 2));
    for (let round = 0; round < options.rounds; round++) {
      for (const player of players) {
        // The work that one contender has left is not charged to the next.
        await sleep(50);
        player.samples.push(await sampleOf(stage, player, options, rate));
      }
    }
    const figures = players.map((player) => figuresOf(player, query, rate));
    await Promise.all(players.map((player) => player.client.close()));
    return figures;
  } finally {
    await Promise.all(started.map((running) => running.stop()));
  }
}
