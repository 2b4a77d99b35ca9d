import { setTimeout as sleep } from 'node:timers/promises';
import { sendAtRate } from '../load/fixed-rate.ts';
import { saturate } from '../load/saturation.ts';
import { quantile } from '../measure/figures.ts';
import { cpuMicrosOf, peakResidentOf } from '../measure/process-tree.ts';
import type { Options } from '../options.ts';
import type { BenchQuery } from '../queries.ts';
import { startContender, type Running, type Stage } from '../stage.ts';
import { joinSamples, type LoadFigures, type Pace, type Sample } from './load-figures.ts';
import { comparePlayers, type Player } from './player.ts';

async function sampleOf(stage: Stage, player: Player, options: Options, rate: number | null): Promise<Sample> {
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
  return {
    cpuMicros: serverMicros / saturated.requests,
    perSecond: saturated.requests / saturated.seconds,
    calls: calls / saturated.requests,
    saturatedLoopMax: saturatedLoop?.maxMs ?? null,
    loadCore,
    serverCore: serverMicros / 1e6 / saturated.seconds,
    pace: rate === null ? null : await paceOf(player, rate, options.seconds),
  };
}

async function paceOf({ running, client, next }: Player, rate: number, seconds: number): Promise<Pace> {
  const { requests, latencies } = await sendAtRate(client, next, { rate, seconds: seconds * 0.75 });
  const loop = await running.loopDelay();
  return {
    requests,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    loopMax: loop?.maxMs ?? null,
    loopP99: loop?.p99Ms ?? null,
  };
}

const lastSeconds = 0.75;

/**
 * Sends what it takes until V8 has settled, or as long as there is time for; returns how many requests a second there were. A slow
 * contender has fewer of them, and is far from the others whatever it does.
 */
async function warmUp(
  { client, next }: Player,
  { connections, warmUpSeconds, warmUpRequests }: Options,
): Promise<number> {
  const seconds = Math.max(0, warmUpSeconds - lastSeconds);
  await saturate(client, next, { atOnce: connections, seconds, most: warmUpRequests });
  const last = await saturate(client, next, { atOnce: connections, seconds: lastSeconds });
  return last.requests / last.seconds;
}

/** Those whose latencies are measured, and the rate: half of what the slowest of them reached while it warmed up. */
function pacingOf(players: readonly Player[], { paced }: BenchQuery): (player: Player) => number | null {
  const chosen = players.filter(({ running }) => paced.includes(running.contender.name));
  const rate = Math.max(1, Math.round(Math.min(...chosen.map((player) => player.warmPerSecond)) / 2));
  return (player) => (chosen.includes(player) ? rate : null);
}

/**
 * Sends one query to all contenders: starts fresh processes, compares their responses, warms them up, and then measures each in
 * every round, at saturation and at one rate for all.
 */
export async function runLoad(stage: Stage, query: BenchQuery, given: Options): Promise<readonly LoadFigures[]> {
  const options = { ...given, connections: query.atOnce ?? given.connections };
  const started: Running[] = [];
  try {
    for (const contender of options.contenders)
      if (query.only?.includes(contender.name) ?? true) started.push(await startContender(stage, contender, query));
    if (started.length === 0) return [];
    const players = await comparePlayers(started, query, query.keys ?? options.keys);
    for (const player of players) player.warmPerSecond = await warmUp(player, options);
    const rateOf = pacingOf(players, query);
    for (let round = 0; round < options.rounds; round++) {
      for (const player of players) {
        // The work that one contender has left is not charged to the next.
        await sleep(50);
        player.samples.push(await sampleOf(stage, player, options, rateOf(player)));
      }
    }
    const figures = players.map((player) => figuresOf(player, query, rateOf(player)));
    await Promise.all(players.map((player) => player.client.close()));
    return figures;
  } finally {
    await Promise.all(started.map((running) => running.stop()));
  }
}

function figuresOf({ running, bytes, samples }: Player, query: BenchQuery, rate: number | null): LoadFigures {
  const { contender, pid, startMs, idleMebibytes } = running;
  const once = { query: query.name, contender: contender.name, answerBytes: bytes, rate, startMs, idleMebibytes };
  return joinSamples({ ...once, peakMebibytes: peakResidentOf(pid) }, samples);
}
