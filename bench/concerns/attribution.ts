import { concernOfFile, concernOfNative, concerns, type Concern } from './concern.ts';
import type { Profile, ProfileNode } from './profile.ts';
import type { ThreadTimes } from './thread-times.ts';

/** Microseconds of a request by concern. */
export type Attribution = Readonly<Record<Concern, number>>;

const none = (): Record<Concern, number> =>
  Object.fromEntries(concerns.map((concern) => [concern, 0])) as Record<Concern, number>;

/**
 * How often each concern was seen at work. A function without a file is its caller's, unless it is known, and so is WebAssembly, which
 * undici has too. Idle time does not count.
 */
export function countConcerns({ nodes }: Profile, root: string): Attribution {
  const counts = none();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (node: ProfileNode, callers: Concern): void => {
    const concern = concernOf(node, root) ?? callers;
    if (node.callFrame.functionName !== '(idle)') counts[concern] += node.hitCount ?? 0;
    for (const child of node.children ?? []) {
      const called = byId.get(child);
      if (called !== undefined) visit(called, concern);
    }
  };
  const [first] = nodes;
  if (first !== undefined) visit(first, 'other');
  return counts;
}

function concernOf({ callFrame: { url, functionName } }: ProfileNode, root: string): Concern | null {
  if (url === '') return concernOfNative(functionName);
  if (url.startsWith('wasm:')) return null;
  const path = url.replace(/^file:\/\//, '');
  return concernOfFile(path.startsWith(root) ? path.slice(root.length) : path);
}

/**
 * Splits the time that was measured by what the profile has seen; the sum is the time. The profile cannot see the kernel, whose time
 * is measured: what it saw of system calls and of C++ beyond that is the parser's, libuv's and the like.
 */
export function attribute(counts: Attribution, times: ThreadTimes): Attribution {
  const seen = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const main = times.mainUser + times.mainSystem;
  const micros = none();
  if (seen === 0) return { ...micros, other: main + times.v8 + times.others };
  const outside = (counts.kernel / seen) * main;
  const native = Math.max(0, outside - times.mainSystem);
  // Where the kernel took more than was seen outside of JavaScript, it took it within.
  const within = main - times.mainSystem - native;
  for (const concern of concerns) micros[concern] = (counts[concern] / (seen - counts.kernel || 1)) * within;
  micros.kernel = times.mainSystem;
  micros['HTTP parser, libuv and the like'] += native;
  micros['garbage collection and compilation'] += times.v8;
  micros.other += times.others;
  return micros;
}
