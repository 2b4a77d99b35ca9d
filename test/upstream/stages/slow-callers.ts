import { setImmediate as tick } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Send, Stage } from '../../../src/upstream/sending.ts';
import type { ResponseHead } from '../../../src/upstream/response/wire-response.ts';

/** Callers who keep many calls under way, each longer than any other call waits for a slot. */
export interface GreedyCallers {
  readonly count: number;
  /** Calls that each has under way at once, or waiting. */
  readonly calls: number;
  readonly callMs: number;
}

/** Callers who ask now and then, and whose calls are short. */
export interface ModestCallers {
  readonly count: number;
  readonly everyMs: number;
  /** Calls of one query, made side by side. */
  readonly calls: number;
  readonly callMs: number;
}

export interface Mix {
  /** Their first calls come in turns, one of each caller after the other. */
  readonly greedy: readonly GreedyCallers[];
  readonly modest: ModestCallers;
  /** Whether the calls are downloads. */
  readonly isStreamed: boolean;
}

/** How the queries of the modest callers went: `bad` are those that failed, or waited for a second or more. */
export interface Verdict {
  readonly queries: number;
  readonly bad: number;
  /** The most calls that a greedy caller had under way at once. */
  readonly mostOfOne: number;
}

const runMs = 20_000;
const modestFromMs = 1_000;
const longestWaitMs = 1_000;
const backOffMs = 1_000;

/** Lets the callers of a mix call for twenty seconds of virtual time, past these checks. */
export async function runMix(mix: Mix, stages: readonly Stage[]): Promise<Verdict> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  try {
    return await new Run(mix, stages).play();
  } finally {
    vi.useRealTimers();
  }
}

class Run {
  readonly #mix: Mix;
  readonly #send: (identity: string, callMs: number) => Promise<void>;
  readonly #underWay = new Map<string, number>();
  #queries = 0;
  #bad = 0;
  #mostOfOne = 0;

  constructor(mix: Mix, stages: readonly Stage[]) {
    const wire: Send<ResponseHead> = async (request) => {
      const { identity, callMs } = request as never as { readonly identity: string; readonly callMs: number };
      this.#began(identity);
      await new Promise((resolve) => setTimeout(resolve, callMs));
      this.#underWay.set(identity, (this.#underWay.get(identity) ?? 0) - 1);
      return { status: 200, headers: {} };
    };
    const send = stages.reduceRight<Send<ResponseHead>>((next, stage) => stage(next), wire);
    this.#mix = mix;
    this.#send = async (identity, callMs) => {
      const { signal } = new AbortController();
      await send({ caller: { identity }, identity, callMs, signal, isStreamed: mix.isStreamed } as never);
    };
  }

  async play(): Promise<Verdict> {
    const { greedy, modest } = this.#mix;
    const most = Math.max(...greedy.map(({ calls }) => calls));
    for (let call = 0; call < most; call++)
      greedy.forEach(({ count, calls, callMs }, kind) => {
        if (call < calls) for (let n = 0; n < count; n++) void this.#keepCalling(`greedy ${kind}.${n}`, callMs);
      });
    for (let n = 0; n < modest.count; n++)
      setTimeout(() => setInterval(() => void this.#ask(`modest ${n}`), modest.everyMs), modestFromMs + 7 * n);
    while (performance.now() < runMs) {
      vi.advanceTimersToNextTimer();
      await tick();
    }
    return { queries: this.#queries, bad: this.#bad, mostOfOne: this.#mostOfOne };
  }

  #began(identity: string): void {
    const calls = (this.#underWay.get(identity) ?? 0) + 1;
    this.#underWay.set(identity, calls);
    if (identity.startsWith('greedy')) this.#mostOfOne = Math.max(this.#mostOfOne, calls);
  }

  async #keepCalling(identity: string, callMs: number): Promise<void> {
    while (performance.now() < runMs)
      await this.#send(identity, callMs).catch(() => new Promise((resolve) => setTimeout(resolve, backOffMs)));
  }

  async #ask(identity: string): Promise<void> {
    const { calls, callMs } = this.#mix.modest;
    const asked = performance.now();
    this.#queries++;
    try {
      await Promise.all(Array.from({ length: calls }, () => this.#send(identity, callMs)));
      if (performance.now() - asked - callMs >= longestWaitMs) this.#bad++;
    } catch {
      this.#bad++;
    }
  }
}
