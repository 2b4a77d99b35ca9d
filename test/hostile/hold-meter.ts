/**
 * Loaded before a gateway: measures how much processor time its main thread takes between two rounds of the event loop, and prints the
 * most of it at SIGCONT. It needs no clock on the wall, so a busy machine makes little difference.
 */
let last = process.threadCpuUsage();
let longestMs = 0;
let prints = 0;

function look(): void {
  const { user, system } = process.threadCpuUsage(last);
  longestMs = Math.max(longestMs, (user + system) / 1_000);
  last = process.threadCpuUsage();
  setImmediate(look).unref();
}

process.on('SIGCONT', () => {
  console.log(`hold ${++prints}: ${longestMs.toFixed(1)} ms`);
  longestMs = 0;
});
look();
