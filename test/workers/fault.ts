import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { isMainThread, threadId } from 'node:worker_threads';

// Loaded before the gateway, in each of its threads: faults to be survived. The first worker is thread 1.

const { FAULT_AT_START: atStart = '' } = process.env;
const isMeant = (): boolean => atStart === 'all' || (atStart === 'later' && threadId > 1);
if (!isMainThread && isMeant()) process.exit(3);

const faults: Readonly<Record<string, () => void>> = {
  '/fault/exit': () => process.exit(3),
  '/fault/hang': () => {
    // For longer than any test takes.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120_000);
  },
  '/fault/memory': () => {
    const all: string[] = [];
    for (;;) all.push(JSON.stringify(all.length).padStart(1_000));
  },
  '/fault/throw': () =>
    setImmediate(() => {
      throw new Error('a planted fault that quotes test-key');
    }),
};

diagnostics.subscribe('http.server.request.start', (message) => {
  const { request } = message as { readonly request: IncomingMessage };
  faults[request.url ?? '']?.();
});
