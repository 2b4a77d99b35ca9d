import { setTimeout as sleep } from 'node:timers/promises';
import { contenders, withSettings, type Contender } from '../contenders.ts';
import { sendAtRate } from '../load/fixed-rate.ts';
import { saturate } from '../load/saturation.ts';
import { spreadOf, type Spread } from '../measure/figures.ts';
import { cpuMicrosOf } from '../measure/process-tree.ts';
import type { Program } from '../measure/program.ts';
import type { BenchQuery } from '../queries.ts';
import { startContender, type Running, type Stage } from '../stage.ts';
import { comparePlayers, type Player } from '../suites/player.ts';

/** What a setting of traces costs a request of one query. */
export interface TraceFigures {
  readonly query: string;
  readonly setting: string;
  /** At saturation, where most of the spans find no room in the queue. */
  readonly saturatedMicros: Spread;
  /** At the fixed rate, where all spans are exported. */
  readonly pacedMicros: Spread;
  /** Exported at the fixed rate. */
  readonly spansPerRequest: number;
}

/** How long and how often it is measured. */
export interface TraceOptions {
  readonly rounds: number;
  /** Of each sample. */
  readonly seconds: number;
  /** Requests a second at the fixed rate. */
  readonly rate: number;
  readonly warmUpRequests: number;
}

const atOnce = 16;
const keys = 64;

/** Switchboard with each setting. The first stands there twice: what lies between the two is chance. */
function settingsOf(collector: string): readonly Contender[] {
  const switchboard = contenders.find(({ name }) => name === 'switchboard') as Contender;
  const on = (sampler: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/${sampler}`,
    OTEL_TRACES_SAMPLER: sampler,
  });
  return [
    withSettings(switchboard, 'off', 'without traces', {}),
    withSettings(switchboard, 'off again', 'without traces', {}),
    withSettings(switchboard, 'on, unsampled', 'no trace sampled', on('always_off')),
    withSettings(switchboard, 'on, sampled', 'each trace sampled', on('always_on')),
  ];
}

/** Measures one query with each setting of traces, in turn. */
export async function priceTraces(
  stage: Stage,
  collector: Program,
  query: BenchQuery,
  options: TraceOptions,
): Promise<readonly TraceFigures[]> {
  const started: Running[] = [];
  try {
    for (const contender of settingsOf(collector.origin)) started.push(await startContender(stage, contender));
    const players = await comparePlayers(started, query, keys);
    for (const { client, next } of players)
      await saturate(client, next, { atOnce, seconds: 60, most: options.warmUpRequests });
    const samples = new Map<Player, Sample[]>(players.map((player) => [player, []]));
    for (let round = 0; round < options.rounds; round++)
      for (const player of players) samples.get(player)?.push(await sampleOf(player, collector, options));
    await Promise.all(players.map(({ client }) => client.close()));
    return [...samples].map(([{ running }, own]) => ({
      query: query.name,
      setting: running.contender.name,
      saturatedMicros: spreadOf(own.map(({ saturatedMicros }) => saturatedMicros)),
      pacedMicros: spreadOf(own.map(({ pacedMicros }) => pacedMicros)),
      spansPerRequest: spreadOf(own.map(({ spansPerRequest }) => spansPerRequest)).median,
    }));
  } finally {
    await Promise.all(started.map((running) => running.stop()));
  }
}

interface Sample {
  readonly saturatedMicros: number;
  readonly pacedMicros: number;
  readonly spansPerRequest: number;
}

// So long spans are on their way after the last request, but for the last few, which wait for others.
const exportMs = 500;

async function sampleOf({ running, client, next }: Player, collector: Program, options: TraceOptions): Promise<Sample> {
  const { seconds, rate } = options;
  let cpu = cpuMicrosOf(running.pid);
  const saturated = await saturate(client, next, { atOnce, seconds });
  const saturatedMicros = (cpuMicrosOf(running.pid) - cpu) / saturated.requests;
  await sleep(exportMs);
  const sampler = running.contender.env?.['OTEL_TRACES_SAMPLER'] ?? 'none';
  await countSpans(collector, sampler);
  cpu = cpuMicrosOf(running.pid);
  const { requests } = await sendAtRate(client, next, { rate, seconds });
  await sleep(exportMs);
  const pacedMicros = (cpuMicrosOf(running.pid) - cpu) / requests;
  return { saturatedMicros, pacedMicros, spansPerRequest: (await countSpans(collector, sampler)) / requests };
}

async function countSpans({ origin }: Program, name: string): Promise<number> {
  return Number(await (await fetch(`${origin}/${name}`)).text());
}
