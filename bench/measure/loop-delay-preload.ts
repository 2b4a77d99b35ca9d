import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Preloaded into every contender alike: at SIGUSR2 it writes how late the event loop was since the signal before.
const file = process.env['BENCH_LOOP_DELAY_FILE'];
const resolution = 5;

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  // The recorded value is the time between two ticks of a timer, and includes its interval.
  const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  process.on('SIGUSR2', () => {
    const seen = { maxMs: milliseconds(delay.max), p99Ms: milliseconds(delay.percentile(99)) };
    delay.reset();
    // Renamed when whole: a reader waits for this file.
    writeFileSync(`${file}.part`, JSON.stringify(seen));
    renameSync(`${file}.part`, file);
  });
}
