import type { Contender } from '../contenders.ts';
import { Client } from '../load/exchange.ts';
import { quantile } from '../measure/figures.ts';
import { cpuMicrosOf } from '../measure/process-tree.ts';
import { loadQueries, type BenchQuery } from '../queries.ts';
import { startContender, type Stage } from '../stage.ts';

/** The figures of operations that are new, beside those of a known one. */
export interface NewOperationFigures {
  readonly contender: string;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
  readonly knownMedianMs: number;
  readonly knownCpuMicros: number;
}

// As many as V8 takes to compile most of what prepares an operation.
const warmUps = 1_500;
const requests = 300;

/** Sends Q1 with an alias of its own each time, one after the other; then the same number of equal ones. */
export async function runNewOperation(
  stage: Stage,
  chosen: readonly Contender[],
): Promise<readonly NewOperationFigures[]> {
  const known = loadQueries[0] as BenchQuery;
  let alias = 0;
  const fresh = (contender: Contender) => {
    const asked = contender.asks(known);
    return { ...asked, body: asked.body?.replace(/\bid\\n/, `a${++alias}x${process.pid}: id\\n`) ?? null };
  };
  const all: NewOperationFigures[] = [];
  for (const contender of chosen) {
    const running = await startContender(stage, contender);
    try {
      const client = new Client(running.origin, { connections: 1, keys: 1 });
      const time = async (ask: () => ReturnType<typeof fresh>, count: number) => {
        const times: number[] = [];
        const cpu = cpuMicrosOf(running.pid);
        for (let request = 0; request < count; request++) {
          const { status, milliseconds } = await client.send(ask());
          if (status !== 200) throw new Error(`${contender.title} answered a new operation with ${status}.`);
          times.push(milliseconds);
        }
        return { times: times.sort((a, b) => a - b), cpuMicros: (cpuMicrosOf(running.pid) - cpu) / count };
      };
      const first = (await client.read(fresh(contender))).toString();
      if (contender.isGraphql && !first.includes(`"a${alias}x`))
        throw new Error(`${contender.title}: no alias in ${first.slice(0, 300)}`);
      await time(() => fresh(contender), warmUps);
      const unknown = await time(() => fresh(contender), requests);
      await time(() => contender.asks(known), warmUps);
      const repeated = await time(() => contender.asks(known), requests);
      all.push({
        contender: contender.name,
        medianMs: quantile(unknown.times, 0.5),
        p99Ms: quantile(unknown.times, 0.99),
        cpuMicros: unknown.cpuMicros,
        knownMedianMs: quantile(repeated.times, 0.5),
        knownCpuMicros: repeated.cpuMicros,
      });
      await client.close();
    } finally {
      await running.stop();
    }
  }
  return all;
}
