import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from '../contenders.ts';
import { scratchFolder } from '../measure/scratch-folder.ts';

/** A function of a profile, and who called it, as the inspector of V8 has it. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  /** How often it was seen at work itself. */
  readonly hitCount?: number;
  readonly children?: readonly number[];
}

/** A profile of the processor: a tree whose first node is the root. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
}

let files = 0;

/** The same server with a profiler that waits for a signal, and the file that it writes. */
export function withProfiler(contender: Contender): { readonly contender: Contender; readonly file: string } {
  const file = join(scratchFolder, `profile-${files++}.json`);
  const preload = new URL('profile-preload.ts', import.meta.url).href;
  const flags = [...(contender.flags ?? []), '--import', preload];
  return { contender: { ...contender, flags, env: { ...contender.env, BENCH_PROFILE_FILE: file } }, file };
}

/** Profiles a server while `work` goes on. */
export async function profileDuring(pid: number, file: string, work: () => Promise<unknown>): Promise<Profile> {
  process.kill(pid, 'SIGUSR2');
  await work();
  process.kill(pid, 'SIGUSR2');
  for (let tries = 0; tries < 1_000; tries++) {
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Profile;
    await sleep(10);
  }
  throw new Error('The server has not written its profile.');
}
