import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Cores } from '../measure/cores.ts';

/** The machine and the packages of the figures. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGibibytes: number;
  readonly node: string;
  readonly versions: Readonly<Record<string, string>>;
  /** Whether load and server had a core each. */
  readonly arePinned: boolean;
  readonly date: string;
}

function versionsIn(folder: string): Readonly<Record<string, string>> {
  const text = readFileSync(new URL(`${folder}package.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
}

/** Describes this machine, and the packages of the benchmark and of Switchboard. */
export function describeMachine(cores: Cores | null): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGibibytes: Math.round(totalmem() / 1_073_741_824),
    node: process.version,
    versions: { ...versionsIn('../../'), ...versionsIn('../') },
    arePinned: cores !== null,
    date: new Date().toISOString(),
  };
}

/** The same in two lines. */
export function machineLines(machine: Machine): string {
  const { cpu, cores, memoryGibibytes, node, versions, arePinned } = machine;
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const pinning = arePinned
    ? 'the server alone on one core, load and upstream together on another'
    : 'NOT pinned (no second core or no taskset): expect noise';
  return `${cpu}, ${cores} cores, ${memoryGibibytes} GiB, Node ${node}; ${pinning}.\n${packages.join(', ')}.`;
}
