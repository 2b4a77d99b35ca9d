import type { Program } from '../support/program.ts';
import { look } from '../soak/look.ts';

/** A gateway's own metrics, and its memory after a garbage collection. */
export interface Reading {
  readonly heapBytes: number;
  /** Buffers and the like, which stand outside of the heap. */
  readonly externalBytes: number;
  readonly rssBytes: number;
  /** Open connections, those to the upstream included. */
  readonly sockets: number;
  /** The longest that the event loop was held since the reading before, the collection left out. */
  readonly lagMs: number;
  /** Processor time since the process began. */
  readonly cpuSeconds: number;
  /** Promises that failed and that nobody waited for; 0 where the gateway does not count them. */
  readonly unhandled: number;
}

/** The values of Prometheus text, by the name of the sample with its labels. */
export function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

// Longer than any single thing may hold the process.
const patienceMs = 30_000;

async function metricsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(patienceMs),
  });
  return samplesOf(await response.text());
}

/** A gateway's metrics, without its memory. */
export type Glance = Pick<Reading, 'lagMs' | 'cpuSeconds' | 'unhandled'>;

/** Glances at a gateway; its lag begins anew. */
export async function glanceAt(url: string): Promise<Glance> {
  const metrics = await metricsOf(url);
  return {
    lagMs: (metrics.get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1_000,
    cpuSeconds: metrics.get('process_cpu_seconds_total') ?? 0,
    unhandled: metrics.get('switchboard_unhandled_total') ?? 0,
  };
}

/** Reads a gateway that was started as test/soak/gateway.ts; one reading at a time. */
export async function readGateway(program: Program, url: string): Promise<Reading> {
  const glance = await glanceAt(url);
  const { heapUsed, external, rss, sockets } = await look(program);
  // Each printing begins the lag anew: what the collection held is nobody's doing.
  await metricsOf(url);
  return {
    heapBytes: heapUsed,
    externalBytes: external,
    rssBytes: rss,
    sockets,
    ...glance,
  };
}
