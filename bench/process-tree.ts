import { readdirSync, readFileSync } from 'node:fs';

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

// By tree, what each of its threads had run when it was last looked at, in nanoseconds: one that has ended is no longer listed, and
// neither is the child of a process that has, but their time was spent.
const nanosOfThreads = new Map<number, Map<string, number>>();

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Processor time of the threads of a process tree, user and system, in microseconds; also of those seen before that have ended. */
export function cpuMicrosOf(root: number): number {
  const known = nanosOfThreads.get(root) ?? new Map<string, number>();
  nanosOfThreads.set(root, known);
  for (const pid of treeOf(root)) {
    for (const thread of threadsOf(pid)) {
      // Its stat has ticks of 10 ms, each some percent of a sample.
      const nanos = Number(read(pid, `task/${thread}/schedstat`).split(' ')[0]);
      // It may end between its name and its time.
      if (nanos > 0) known.set(`${pid}/${thread}`, nanos);
    }
  }
  if (!known.has(`${root}/${root}`) || threadsOf(root).length === 0)
    throw new Error(
      `/proc/${root}/task/*/schedstat has no processor time: it has ended, or the kernel does not count it.`,
    );
  return known.values().reduce((sum, nanos) => sum + nanos, 0) / 1_000;
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
