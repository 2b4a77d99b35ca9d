import { setTimeout as sleep } from 'node:timers/promises';
import { sendAtRate } from '../load/fixed-rate.ts';
import { saturate } from '../load/saturation.ts';
import { quantile } from '../measure/figures.ts';
import { cpuMicrosOf, peakResidentOf } from '../measure/process-tree.ts';
import { inRound } from '../measure/rounds.ts';
import type { Options } from '../options.ts';
import type { BenchQuery } from '../queries.ts';
import { startContender, type Running, type Stage } from '../stage.ts';
import { joinRounds, type LoadFigures, type Pace, type Sample } from './load-figures.ts';
import { comparePlayers, type Player } from './player.ts';

// What a contender does within this time after its last response is charged to it, and not to the next one.
const afterworkMs = 30;

async function sampleOf(stage: Stage, player: Player, { connections, seconds }: Options): Promise<Sample> {
  const { running, client, next } = player;
  await running.loopDelay();
  await stage.countCalls();
  const cpu = cpuMicrosOf(running.pid);
  const loadCpu = stage.loadCpuMicros();
  const saturated = await saturate(client, next, { atOnce: connections, seconds });
  const loadCore = (stage.loadCpuMicros() - loadCpu) / 1e6 / saturated.seconds;
  await sleep(afterworkMs);
  const serverMicros = cpuMicrosOf(running.pid) - cpu;
  const calls = await stage.countCalls();
  const saturatedLoop = await running.loopDelay();
  return {
    cpuMicros: serverMicros / saturated.requests,
    perSecond: saturated.requests / saturated.seconds,
    calls: calls / saturated.requests,
    saturatedLoopHeld: saturatedLoop?.heldMs ?? null,
    loadCore,
    serverCore: serverMicros / 1e6 / saturated.seconds,
  };
}

/** A sample at a fixed rate, behind half a one at saturation that is not counted: V8 compiles anew behind a pause. */
async function paceOf({ running, client, next }: Player, rate: number, options: Options): Promise<Pace> {
  const { connections, seconds, pacedSeconds } = options;
  await saturate(client, next, { atOnce: connections, seconds: seconds / 2 });
  await running.loopDelay();
  const { requests, latencies } = await sendAtRate(client, next, { rate, seconds: pacedSeconds });
  const loop = await running.loopDelay();
  return {
    requests,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    loopHeld: loop?.heldMs ?? null,
    loopP99: loop?.p99Ms ?? null,
  };
}

/**
 * Takes samples in turn, so many rounds long; those that are far leave earlier. While they have their samples the others pause: V8 gives
 * up code in pauses of some seconds, so those have half a sample behind one that is not counted.
 */
async function sampleRounds(
  stage: Stage,
  players: readonly Player[],
  { rounds, farRounds }: { readonly rounds: number; readonly farRounds: number },
  options: Options,
): Promise<ReadonlyMap<Player, readonly Sample[]>> {
  const samples = new Map<Player, Sample[]>(players.map((player) => [player, []]));
  const near = players.filter(({ running }) => running.contender.isFar !== true);
  for (let round = 0; round < rounds; round++) {
    for (const player of inRound(round < farRounds ? players : near, round))
      samples.get(player)?.push(await sampleOf(stage, player, options));
    if (round >= farRounds || near.length === players.length) continue;
    for (const { client, next } of near)
      await saturate(client, next, { atOnce: options.connections, seconds: options.seconds / 2 });
  }
  return samples;
}

/** Sends so many requests, or what so many seconds of processor time are enough for: on a busy host they take longer than by the clock. */
async function settle({ running, client, next }: Player, options: Options): Promise<void> {
  const { connections, seconds, warmUpSeconds, farWarmUpSeconds, warmUpRequests } = options;
  const most = running.contender.isFar === true ? farWarmUpSeconds : warmUpSeconds;
  const until = cpuMicrosOf(running.pid) + most * 1e6;
  let left = warmUpRequests;
  while (left > 0 && cpuMicrosOf(running.pid) < until)
    left -= (await saturate(client, next, { atOnce: connections, seconds, most: left })).requests;
}

// In these V8 compiles what it has given up while the other contenders were warmed up.
const uncountedRounds = { rounds: 8, farRounds: 1 };

/**
 * Sends to each what it takes until V8 has settled, and then some rounds as they will be measured;
 * returns how many requests a second there were in the last. A slow contender has fewer requests, and is far from the others whatever
 * it does. The fast ones come last, and wait for the fewest others.
 */
async function warmUp(stage: Stage, players: readonly Player[], options: Options): Promise<(player: Player) => number> {
  for (const player of players.toReversed()) await settle(player, options);
  const uncounted = await sampleRounds(stage, players, uncountedRounds, options);
  return (player) => uncounted.get(player)?.at(-1)?.perSecond ?? 0;
}

/**
 * Sends one query to all contenders: starts fresh processes, compares their responses, warms them up, and then measures each in
 * every round at saturation, and in further rounds at one rate: half of what the slowest of those reached whose latencies are measured.
 */
export async function runLoad(stage: Stage, query: BenchQuery, given: Options): Promise<readonly LoadFigures[]> {
  const options = { ...given, connections: query.atOnce ?? given.connections };
  const started: Running[] = [];
  try {
    for (const contender of options.contenders)
      if (query.only?.includes(contender.name) ?? true) started.push(await startContender(stage, contender, query));
    if (started.length === 0) return [];
    const players = await comparePlayers(started, query, query.keys ?? options.keys);
    const perSecondOf = await warmUp(stage, players, options);
    const samples = await sampleRounds(stage, players, options, options);
    const paced = players.filter(({ running }) => query.paced.includes(running.contender.name));
    const rate = Math.max(1, Math.round(Math.min(...paced.map(perSecondOf)) / 2));
    const paces = new Map<Player, Pace[]>(paced.map((player) => [player, []]));
    for (let round = 0; round < options.pacedRounds; round++)
      for (const player of inRound(paced, round)) paces.get(player)?.push(await paceOf(player, rate, options));
    const figures = players.map((player) => {
      const own = paces.get(player) ?? [];
      const once = figuresOnce(player, query, own.length === 0 ? null : rate);
      return joinRounds(once, samples.get(player) ?? [], own);
    });
    await Promise.all(players.map((player) => player.client.close()));
    return figures;
  } finally {
    await Promise.all(started.map((running) => running.stop()));
  }
}

/** What is measured once of a contender. */
function figuresOnce({ running, bytes }: Player, query: BenchQuery, rate: number | null) {
  const { contender, pid, startMs, idleMebibytes } = running;
  const once = { query: query.name, contender: contender.name, answerBytes: bytes, rate, startMs, idleMebibytes };
  return { ...once, peakMebibytes: peakResidentOf(pid) };
}
