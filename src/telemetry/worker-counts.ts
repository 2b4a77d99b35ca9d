import { Counter, Gauge, type Registry } from 'prom-client';

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
