import type { Contender } from './contenders.ts';
import { Client } from './load/exchange.ts';
import type { Cores } from './measure/cores.ts';
import { loopDelayProbe, readLoopDelay, type LoopDelay } from './measure/loop-delay.ts';
import { cpuMicrosOf, residentOf } from './measure/process-tree.ts';
import { startProgram, type Program } from './measure/program.ts';
import type { BenchQuery } from './queries.ts';

/** The surroundings of the contenders: their upstream, and the cores. */
export interface Stage {
  readonly upstream: Program;
  readonly cores: Cores | null;
  /** Upstream calls since the last count. */
  countCalls(): Promise<number>;
  /** Processor time that load and upstream have taken, in microseconds. */
  loadCpuMicros(): number;
}

/** A contender that runs and listens. */
export interface Running {
  readonly contender: Contender;
  readonly pid: number;
  readonly origin: string;
  readonly startMs: number;
  readonly idleMebibytes: number;
  loopDelay(): Promise<LoopDelay | null>;
  stop(): Promise<void>;
}

/** Starts the upstream on the core of the load. */
export async function openStage(cores: Cores | null): Promise<Stage> {
  const upstream = await startProgram({ args: ['bench/upstream/main.ts'], env: {}, core: cores?.load });
  const client = new Client(upstream.origin, { connections: 1, keys: 1 });
  return {
    upstream,
    cores,
    countCalls: async () => Number(await client.read({ path: '/count', method: 'GET', body: null })),
    loadCpuMicros() {
      const { user, system } = process.cpuUsage();
      return user + system + cpuMicrosOf(upstream.pid);
    },
  };
}

/** What a query needs of the contenders that it is sent to. */
type Need = Pick<BenchQuery, 'half' | 'coding'>;

/** Starts a contender on the core of the servers, in front of the upstream or of its slow half. */
export async function startContender(
  stage: Stage,
  contender: Contender,
  { half = '', coding }: Need = {},
): Promise<Running> {
  const probe = loopDelayProbe();
  const program = await startProgram({
    args: [...probe.args, ...(contender.flags ?? []), contender.file],
    env: {
      ...probe.env,
      ...contender.env,
      ...(coding !== undefined && { BENCH_CODING: coding }),
      UPSTREAM_BASE_URL: `${stage.upstream.origin}${half}/v2`,
    },
    core: stage.cores?.server,
  });
  return {
    contender,
    pid: program.pid,
    origin: program.origin,
    startMs: program.startMs,
    idleMebibytes: residentOf(program.pid),
    loopDelay: () => readLoopDelay(program.pid, probe.file),
    stop: () => program.stop(),
  };
}

/**
 * Starts a contender, lets it respond and stops it: those that keep compiled code keep it here, and the first start that is measured
 * is like all others.
 */
export async function startOnce(stage: Stage, contender: Contender, query: BenchQuery): Promise<void> {
  const running = await startContender(stage, contender);
  const client = new Client(running.origin, { connections: 1, keys: 1 });
  await client.read(contender.asks(query));
  await client.close();
  await running.stop();
}
