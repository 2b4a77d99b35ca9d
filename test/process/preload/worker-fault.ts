import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import cluster from 'node:cluster';

// Loaded before the gateway, in each of its processes: faults to be survived.

const { FAULT_AT_START: atStart = '' } = process.env;
const isMeant = (): boolean => atStart === 'all' || (atStart === 'later' && cluster.worker?.id !== 1);
if (cluster.isWorker && isMeant()) process.exit(3);

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
