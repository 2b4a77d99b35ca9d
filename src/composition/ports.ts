import type { RequestListener } from 'node:http';
import type { CancelSource } from '../cancellation.ts';
import type { AppConfig } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { AddressError, listen, type Listener, type ListenerOptions } from '../http/connection/listener.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The ports of a gateway. */
export interface Ports {
  readonly main: Listener;
  /** For probes and metrics; null where the main port serves them too. */
  readonly admin: Listener | null;
}

/** What the ports serve. */
export interface Served {
  readonly main: RequestListener;
  readonly admin: RequestListener;
}

/** Listens on all ports or on none. Rejects with an AddressError that names every port that cannot be used. */
export async function openPorts(
  config: AppConfig,
  served: Served,
  metrics: Metrics,
  stopping: CancelSource,
): Promise<Ports> {
  const { host, port, adminPort } = config;
  const common = listenerOptions(config, metrics, stopping);
  const [main, admin] = await Promise.allSettled([
    listen(served.main, { ...common, host, port, portVariable: 'PORT' }),
    adminPort === null ? null : listen(served.admin, { ...common, host, port: adminPort, portVariable: 'ADMIN_PORT' }),
  ]);
  if (main.status === 'fulfilled' && admin.status === 'fulfilled') return { main: main.value, admin: admin.value };
  const opened = [main, admin].flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []));
  await Promise.all(opened.map((one) => one.cutOff()));
  throw joined([main, admin].flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : [])));
}

function joined(failures: readonly unknown[]): unknown {
  const [first, ...others] = failures;
  if (!(first instanceof AddressError) || others.length === 0) return first;
  return new AddressError(failures.map((failure) => (failure as Error).message).join('; '), { cause: first });
}

type Common = Omit<ListenerOptions, 'host' | 'port' | 'portVariable'>;

function listenerOptions(config: AppConfig, metrics: Metrics, stopping: CancelSource): Common {
  return {
    headersTimeoutMs: config.requestHeadersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    stallTimeoutMs: config.responseStallTimeoutMs,
    countStalled: () => metrics.countStalledReader(),
    giveUp: () => stopping.abort(stopped('could not wait for the upstream any longer. Try again.')),
  };
}

/** What a process that stops tells the clients that it cannot wait for. */
export function stopped(consequence: string): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', { message: `This process is stopping, and ${consequence}` });
}
