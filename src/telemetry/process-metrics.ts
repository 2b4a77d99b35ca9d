import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import { version } from './build.ts';

// Gauges whose names end as those of counters do. Each has a twin without that end, by kind, whose sum it is.
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Registers what the process reports of itself: its build, its memory, its processor time, its event loop, its log. */
export function registerProcessMetrics(registry: Registry, linesLost: () => number): void {
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  new Gauge({
    name: 'switchboard_build_info',
    help: 'Always 1; its labels name the version of the gateway and of Node.',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.versions.node }, 1);
  // The registry holds it.
  void new Counter({
    name: 'switchboard_log_lines_lost_total',
    help: 'Lines of the log that could not be written, or that nobody has read.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(linesLost());
    },
  });
}

/** Registers how many workers serve, each of which adds itself, and how many were replaced. */
export function createWorkerCounts(registry: Registry): { countReplaced(): void } {
  const registers = [registry];
  new Gauge({ name: 'switchboard_workers', help: 'Workers that serve (WORKERS).', registers }).set(1);
  const replaced = new Counter({
    name: 'switchboard_replaced_workers_total',
    help: 'Workers that have ended and were replaced: each end is a fault.',
    registers,
  });
  return { countReplaced: () => replaced.inc() };
}
