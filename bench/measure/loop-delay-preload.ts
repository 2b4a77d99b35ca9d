import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Preloaded into every contender alike: at SIGUSR2 it writes how late the event loop was since the signal before.
const file = process.env['BENCH_LOOP_DELAY_FILE'];
const resolution = 5;

/** How long the work of this thread has kept its timers waiting, in milliseconds. */
class LongestHold {
  #longest = 0;
  #at = performance.now();
  #cpu = process.threadCpuUsage();

  constructor() {
    setInterval(() => this.#tick(), resolution).unref();
  }

  /** The longest since the reading before. */
  read(): number {
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  #tick(): void {
    const { user, system } = process.threadCpuUsage(this.#cpu);
    const late = performance.now() - this.#at - resolution;
    // A machine that takes the processor away for a while makes a timer late without any work.
    this.#longest = Math.max(this.#longest, Math.min(late, (user + system) / 1e3));
    this.#at = performance.now();
    this.#cpu = process.threadCpuUsage();
  }
}

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution });
  const hold = new LongestHold();
  delay.enable();
  // The recorded value is the time between two ticks of a timer, and includes its interval.
  const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  process.on('SIGUSR2', () => {
    const seen = { heldMs: hold.read(), p99Ms: milliseconds(delay.percentile(99)) };
    delay.reset();
    // Renamed when whole: a reader waits for this file.
    writeFileSync(`${file}.part`, JSON.stringify(seen));
    renameSync(`${file}.part`, file);
  });
}
