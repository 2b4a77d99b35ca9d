// Loaded before a gateway. It watches for how long the gateway holds its event loop and how much it computes, by the processor time of
// the main thread, so that a busy machine makes no difference; how much memory it takes; and how many events of streams it writes as
// JSON. At SIGIO it prints what it has seen since it did so last.
const seen = { longestHoldMs: 0, busyMs: 0, peakBytes: 0, peakRss: 0, executions: 0 };
let prints = 0;
let before = process.threadCpuUsage();

setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  const { rss, heapUsed, external } = process.memoryUsage();
  seen.busyMs += (user + system) / 1_000;
  seen.longestHoldMs = Math.max(seen.longestHoldMs, (user + system) / 1_000);
  seen.peakRss = Math.max(seen.peakRss, rss);
  seen.peakBytes = Math.max(seen.peakBytes, heapUsed + external);
  before = process.threadCpuUsage();
}, 1).unref();

const { stringify } = JSON;
JSON.stringify = ((value: unknown, ...others: []) => {
  if (isEvent(value)) seen.executions++;
  return stringify(value, ...others);
}) as typeof stringify;

function isEvent(value: unknown): boolean {
  const data = typeof value === 'object' && value !== null && 'data' in value ? value.data : null;
  return typeof data === 'object' && data !== null && 'webhookDeliveries' in data;
}

process.on('SIGIO', () => {
  console.log(`watch ${++prints}: ${stringify(seen)}`);
  for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] = 0;
});
