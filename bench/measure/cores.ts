import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The core of load and upstream, and the core of the measured server; null where they cannot be kept apart. */
export interface Cores {
  readonly load: string;
  readonly server: string;
}

/** Keeps this process on the load's core, and returns both cores; needs two cores and `taskset`. */
export function claimCores(): Cores | null {
  if (availableParallelism() < 2) return null;
  const cores = { load: '0', server: '1' };
  try {
    execFileSync('taskset', ['-acp', cores.load, String(process.pid)], { stdio: 'ignore' });
    return cores;
  } catch {
    return null;
  }
}
