import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

// /proc counts processor time in ticks.
const microsPerTick = 1_000_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // A process may end at any time.
    return '';
  }
}

/** The fields of /proc/<pid>/stat from the state on: a name before them may hold anything. */
function statOf(pid: number): readonly string[] {
  const text = read(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** A process and all of its descendants. */
export function treeOf(root: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(pids.map((pid) => [Number(pid), Number(statOf(Number(pid))[1])]));
  const tree = [root];
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  }
  return tree;
}

/** Processor time that a process tree has taken, user and system, in microseconds. */
export function cpuMicrosOf(root: number): number {
  const ticks = treeOf(root).map((pid) => {
    const stat = statOf(pid);
    return Number(stat[11] ?? 0) + Number(stat[12] ?? 0);
  });
  return ticks.reduce((sum, count) => sum + count, 0) * microsPerTick;
}

function mebibytesOf(root: number, name: string): number {
  const kilobytes = treeOf(root).map((pid) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(read(pid, 'status'))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1_024;
}

/** Memory of a process tree now, in MiB. */
export const residentOf = (root: number): number => mebibytesOf(root, 'VmRSS');

/** The most memory that each process of a tree has ever had, added up, in MiB. */
export const peakResidentOf = (root: number): number => mebibytesOf(root, 'VmHWM');
