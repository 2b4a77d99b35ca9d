import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchFolder } from './scratch-folder.ts';

/** The delay of a server's event loop beyond the interval of the measurement, in milliseconds. */
export interface LoopDelay {
  /**
   * The longest that its own work has held it: the delay, but no more than the processor time that its thread took meanwhile. What it
   * only waits for, a disk or helpers of V8, is not in it.
   */
  readonly heldMs: number;
  readonly p99Ms: number;
}

let files = 0;

/** Arguments and settings with which a server writes its loop delay to a file of its own. */
export function loopDelayProbe() {
  const file = join(scratchFolder, `loop-delay-${files++}.json`);
  const preload = new URL('loop-delay-preload.ts', import.meta.url).href;
  return { file, args: ['--import', preload], env: { BENCH_LOOP_DELAY_FILE: file } };
}

/** Reads the delay since the last reading, and begins anew; null where the server does not write it in time. */
export async function readLoopDelay(pid: number, file: string): Promise<LoopDelay | null> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let tries = 0; tries < 2_000; tries++) {
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as LoopDelay;
    await sleep(1);
  }
  return null;
}
