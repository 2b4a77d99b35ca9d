import cluster from 'node:cluster';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import type { OutputState } from './output-attack.ts';

// Loaded before a gateway, with the path of a file behind a question mark. The file says what is wrong with standard output and
// standard error of the process at the moment, and which fault the gateway itself has, which the attack must find.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const stateNow = (): OutputState => JSON.parse(readFileSync(file, 'utf8')) as OutputState;

type Done = (error: NodeJS.ErrnoException | null, written: number) => void;
type Write = (descriptor: number, bytes: Uint8Array, done: Done) => void;
const written = fs.write as unknown as Write;
// The state in which half a write was taken, for each descriptor: a disk takes what it has room for before it refuses.
const halved = new Map<number, number>();

function faultOf(descriptor: number, { stdout, stderr }: OutputState): string {
  return (descriptor === 1 ? stdout : stderr) ?? 'none';
}

/** Calls `done` once the system does not hold the write any more. */
function hold(descriptor: number, bytes: Uint8Array, done: Done): void {
  const timer = setInterval(() => {
    if (faultOf(descriptor, stateNow()) === 'held') return;
    clearInterval(timer);
    writeFaultily(descriptor, bytes, done);
  }, 20);
}

function writeFaultily(descriptor: number, bytes: Uint8Array, done: Done): void {
  const state = stateNow();
  const fault = faultOf(descriptor, state);
  if (state.plant === 'is silent' && descriptor === 2) return done(null, bytes.length);
  if (state.plant === 'repeats itself' && descriptor === 2) written(descriptor, bytes, () => {});
  if (fault === 'none') return written(descriptor, bytes, done);
  writeFileSync(`${file}-met`, String(state.number));
  if (fault === 'held') return hold(descriptor, bytes, done);
  if (halved.get(descriptor) !== state.number && bytes.length > 1) {
    halved.set(descriptor, state.number);
    // Within a line.
    const end = Math.floor(bytes.length / 2);
    const half = bytes.subarray(0, bytes[end - 1] === 0x0a ? end + 1 : end);
    return written(descriptor, half, (error, count) =>
      done(error, state.plant === 'tears lines' ? bytes.length : count),
    );
  }
  if (state.plant === 'dies') return void setImmediate(() => process.exit(1));
  if (state.plant === 'tries for ever') for (;;) if (faultOf(descriptor, stateNow()) === 'none') break;
  if (state.plant === 'forgets') return done(null, bytes.length);
  return void setImmediate(() => done(Object.assign(new Error('planted'), { code: fault }), 0));
}

if (isMainThread && cluster.isPrimary) {
  fs.write = ((descriptor: number, ...rest: [Uint8Array, ...unknown[]]) => {
    const done = rest.at(-1) as Done;
    if (descriptor === 1 || descriptor === 2) writeFaultily(descriptor, rest[0], done);
    else (written as (...all: unknown[]) => void)(descriptor, ...rest);
  }) as unknown as typeof fs.write;
  syncBuiltinESMExports();
  const [exit, kill] = [process.exit.bind(process), process.kill.bind(process)];
  const stays = (): boolean => stateNow().plant === 'stays' && setInterval(() => {}, 1_000).hasRef();
  process.exit = ((code?: number) => (stays() ? undefined : exit(code))) as typeof exit;
  process.kill = (pid, signal) => stays() || kill(pid, signal);
}
