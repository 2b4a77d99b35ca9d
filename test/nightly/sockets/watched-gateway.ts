import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// The gateway as it is, and a look into its process. At SIGUSR2 it collects its garbage and prints what is left; at SIGCONT it prints
// what its main thread has computed so far, and with WATCH_HOLDS the most between two rounds of its event loop since it did so last.
// Processor time needs no clock on the wall, so a busy machine makes little difference.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let prints = 0;
let longestHoldMs = 0;

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

let last = computedMs();
function watch(): void {
  const now = computedMs();
  longestHoldMs = Math.max(longestHoldMs, now - last);
  last = now;
  setImmediate(watch).unref();
}

function print(seen: object): void {
  console.log(`look ${++prints}: ${JSON.stringify(seen)}`);
}

process.on('SIGUSR2', () => {
  for (let round = 0; round < 2; round++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  print({ heapBytes: heapUsed, externalBytes: external, sockets });
});
process.on('SIGCONT', () => {
  print({ computedMs: computedMs(), longestHoldMs });
  longestHoldMs = 0;
});
if (process.env['WATCH_HOLDS'] === 'true') watch();

await import('../../../src/start.ts');
