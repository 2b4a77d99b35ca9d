import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process, in microseconds. */
export interface ThreadTimes {
  /** Of the thread that runs JavaScript. */
  readonly mainUser: number;
  readonly mainSystem: number;
  /** Of V8's threads, which collect garbage and compile; user and system. */
  readonly v8: number;
  readonly others: number;
}

const microsPerTick = 1_000_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Reads what the threads of a process have taken so far. */
export function threadTimesOf(pid: number): ThreadTimes {
  const times = { mainUser: 0, mainSystem: 0, v8: 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const [, name = ''] = /\((.*)\)/.exec(text) ?? [];
    const stat = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [Number(stat[11]) * microsPerTick, Number(stat[12]) * microsPerTick];
    if (thread === String(pid)) {
      times.mainUser += user;
      times.mainSystem += system;
    } else if (name.includes('V8Worker')) times.v8 += user + system;
    else times.others += user + system;
  }
  return times;
}

/** What was taken between two readings, for each of so many requests. */
export function timesBetween(before: ThreadTimes, after: ThreadTimes, requests: number): ThreadTimes {
  const each = (name: keyof ThreadTimes): number => (after[name] - before[name]) / requests;
  return { mainUser: each('mainUser'), mainSystem: each('mainSystem'), v8: each('v8'), others: each('others') };
}
