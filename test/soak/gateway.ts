import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// The gateway as it is, and a look into its process: at SIGUSR2 it collects its garbage and prints what is left.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let looks = 0;

process.on('SIGUSR2', () => {
  const longestDelayMs = Math.round(delay.max / 1e6);
  const p99DelayMs = Math.round(delay.percentile(99) / 1e6);
  for (let round = 0; round < 3; round++) collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  // The collection has held the loop itself: only what comes after it counts for the next look.
  setTimeout(() => {
    delay.reset();
    console.log(`look ${++looks}: ${JSON.stringify({ heapUsed, external, rss, sockets, longestDelayMs, p99DelayMs })}`);
  }, 50);
});

await import('../../src/start.ts');
