import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { ResponseHead } from '../../../src/upstream/response/wire-response.ts';
import type { Send } from '../../../src/upstream/sending.ts';
import { limitConcurrency } from '../../../src/upstream/stages/bulkhead.ts';

/** Callers who keep many calls under way, each longer than any other call waits for a slot. */
interface GreedyCallers {
  readonly count: number;
  /** Calls that each has under way at once, or waiting. */
  readonly calls: number;
  readonly callMs: number;
}

/** Callers who ask now and then, and whose calls are short. */
interface ModestCallers {
  readonly count: number;
  readonly everyMs: number;
  /** Calls of one query, made side by side. */
  readonly calls: number;
  readonly callMs: number;
}

const modestFromMs = 1_000;
const runMs = 20_000;

/** Virtual time in which greedy and modest callers share 128 slots. */
class Run {
  readonly #isStreamed: boolean;
  readonly #send: Send<ResponseHead>;
  queries = 0;
  /** Queries of modest callers that failed, or waited for a second or more. */
  bad = 0;

  constructor(isStreamed: boolean) {
    this.#isStreamed = isStreamed;
    const wire: Send<ResponseHead> = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, (request as never as { callMs: number }).callMs));
      return { status: 200, headers: {} };
    };
    const stages = limitConcurrency({ most: 128, queueSize: 1_000, queueTimeoutMs: 2_000 });
    this.#send = stages.reduceRight<Send<ResponseHead>>((next, stage) => stage(next), wire);
  }

  async play(greedy: readonly GreedyCallers[], modest: ModestCallers): Promise<void> {
    // Their first calls come in turns, one of each caller after the other.
    for (let call = 0; call < Math.max(...greedy.map(({ calls }) => calls)); call++)
      greedy.forEach(({ count, calls, callMs }, kind) => {
        if (call < calls) for (let n = 0; n < count; n++) void this.#keepCalling(`greedy ${kind}.${n}`, callMs);
      });
    for (let n = 0; n < modest.count; n++)
      setTimeout(() => setInterval(() => void this.#ask(`modest ${n}`, modest), modest.everyMs), modestFromMs + 7 * n);
    while (performance.now() < runMs) {
      vi.advanceTimersToNextTimer();
      await tick();
    }
  }

  async #call(identity: string, callMs: number): Promise<void> {
    const { signal } = new AbortController();
    await this.#send({ caller: { identity }, callMs, signal, isStreamed: this.#isStreamed } as never);
  }

  async #keepCalling(identity: string, callMs: number): Promise<void> {
    while (performance.now() < runMs)
      await this.#call(identity, callMs).catch(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  }

  async #ask(identity: string, { calls, callMs }: ModestCallers): Promise<void> {
    const asked = performance.now();
    this.queries++;
    try {
      await Promise.all(Array.from({ length: calls }, () => this.#call(identity, callMs)));
      if (performance.now() - asked - callMs >= 1_000) this.bad++;
    } catch {
      this.bad++;
    }
  }
}

async function runMix(greedy: readonly GreedyCallers[], modest: ModestCallers, isStreamed = false): Promise<Run> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  try {
    const run = new Run(isStreamed);
    await run.play(greedy, modest);
    return run;
  } finally {
    vi.useRealTimers();
  }
}

describe('callers with short calls are served within a second', () => {
  test.for([
    { count: 1, calls: 200, isStreamed: false },
    { count: 10, calls: 30, isStreamed: false },
    { count: 100, calls: 3, isStreamed: false },
    { count: 3, calls: 200, isStreamed: true },
  ])('while others keep calls of nine seconds under way: %j', async ({ count, calls, isStreamed }) => {
    const modest = { count: 5, everyMs: 700, calls: 3, callMs: 100 };
    const run = await runMix([{ count, calls, callMs: 9_000 }], modest, isStreamed);
    expect(run.bad).toBe(0);
    expect(run.queries).toBeGreaterThan(100);
  });
});
