import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Preloaded into every contender alike: at SIGUSR2 it writes how late the event loop was since the signal before.
const file = process.env['BENCH_LOOP_DELAY_FILE'];
const resolution = 5;

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  // What is recorded is the time between two ticks of a timer, so its own interval is part of it.
  const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  process.on('SIGUSR2', () => {
    const seen = { maxMs: milliseconds(delay.max), p99Ms: milliseconds(delay.percentile(99)) };
    delay.reset();
    // Whole or not at all: somebody is waiting for this file.
    writeFileSync(`${file}.part`, JSON.stringify(seen));
    renameSync(`${file}.part`, file);
  });
}
