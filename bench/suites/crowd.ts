import type { Contender } from '../contenders.ts';
import { compareAnswers } from './compared.ts';
import { Client } from '../load/exchange.ts';
import { spreadOf, type Spread } from '../measure/figures.ts';
import { cpuMicrosOf } from '../measure/process-tree.ts';
import { loadQueries, type BenchQuery } from '../queries.ts';
import { startContender, type Stage } from '../stage.ts';

/** The figures of a hundred equal requests at once. */
export interface CrowdFigures {
  readonly contender: string;
  readonly wallMs: Spread;
  readonly calls: Spread;
  readonly cpuMs: Spread;
}

const people = 100;
const warmUps = 5;
const rounds = 9;

/** Sends a hundred equal Q1 of one caller at once, in front of an upstream that takes 50 ms. */
export async function runCrowd(stage: Stage, chosen: readonly Contender[]): Promise<readonly CrowdFigures[]> {
  const query = loadQueries[0] as BenchQuery;
  const comparison = compareAnswers('a crowd');
  const all: CrowdFigures[] = [];
  for (const contender of chosen) {
    const running = await startContender(stage, contender, { half: '/slow' });
    try {
      const client = new Client(running.origin, { connections: people, keys: 1 });
      const asked = contender.asks(query);
      comparison.take(contender, await client.read(asked));
      const seen: { wallMs: number; calls: number; cpuMs: number }[] = [];
      for (let round = 0; round < warmUps + rounds; round++) {
        await stage.countCalls();
        const cpu = cpuMicrosOf(running.pid);
        const started = performance.now();
        const told = await Promise.all(Array.from({ length: people }, () => client.send(asked)));
        const wallMs = performance.now() - started;
        if (told.some(({ status }) => status !== 200)) throw new Error(`${contender.title} failed in a crowd.`);
        const cpuMs = (cpuMicrosOf(running.pid) - cpu) / 1_000;
        const calls = await stage.countCalls();
        if (round >= warmUps) seen.push({ wallMs, calls, cpuMs });
      }
      all.push({
        contender: contender.name,
        wallMs: spreadOf(seen.map(({ wallMs }) => wallMs)),
        calls: spreadOf(seen.map(({ calls }) => calls)),
        cpuMs: spreadOf(seen.map(({ cpuMs }) => cpuMs)),
      });
      await client.close();
    } finally {
      await running.stop();
    }
  }
  return all;
}
