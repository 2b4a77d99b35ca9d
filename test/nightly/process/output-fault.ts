import cluster from 'node:cluster';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** What is wrong with standard output and standard error: each write fails after half of one was taken, or none comes back. */
export interface OutputState {
  readonly number: number;
  readonly stdout: string | null;
  readonly stderr: string | null;
}

// Loaded before a gateway, with the path of a file behind a question mark. The file says what is wrong at the moment.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const stateNow = (): OutputState => JSON.parse(readFileSync(file, 'utf8')) as OutputState;

type Done = (error: NodeJS.ErrnoException | null, written: number) => void;
type Write = (descriptor: number, bytes: Uint8Array, done: Done) => void;
const written = fs.write as unknown as Write;
// The state in which half a write was taken, for each descriptor: a disk takes what it has room for before it refuses.
const halved = new Map<number, number>();

function writeFaultily(descriptor: number, bytes: Uint8Array, done: Done): void {
  const { number, stdout, stderr } = stateNow();
  const fault = descriptor === 1 ? stdout : stderr;
  if (fault === null) return written(descriptor, bytes, done);
  writeFileSync(`${file}-met`, String(number));
  // The system holds the write until the state is another one.
  if (fault === 'held') return void setTimeout(() => writeFaultily(descriptor, bytes, done), 20);
  if (halved.get(descriptor) !== number && bytes.length > 1) {
    halved.set(descriptor, number);
    // Within a line.
    const end = Math.floor(bytes.length / 2);
    return written(descriptor, bytes.subarray(0, bytes[end - 1] === 0x0a ? end + 1 : end), done);
  }
  return void setImmediate(() => done(Object.assign(new Error('planted'), { code: fault }), 0));
}

if (isMainThread && cluster.isPrimary) {
  fs.write = ((descriptor: number, ...rest: [Uint8Array, ...unknown[]]) => {
    const done = rest.at(-1) as Done;
    if (descriptor === 1 || descriptor === 2) writeFaultily(descriptor, rest[0], done);
    else (written as (...all: unknown[]) => void)(descriptor, ...rest);
  }) as unknown as typeof fs.write;
  syncBuiltinESMExports();
}
