import type { Metrics } from '../telemetry/metrics.ts';
import { readOnly, sendJson, sendText, type Endpoints } from './endpoint.ts';

export interface ProbeOptions {
  /** Builds the pages, without which the process is not ready; null where there are none. */
  readonly pages: { build(): Promise<void> } | null;
  /** Resolves when the process begins to stop. */
  readonly retiring: Promise<void>;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
}

/** Whether the process is alive, and whether it takes traffic. */
export function createProbes({ pages, retiring, isReady }: ProbeOptions): Endpoints {
  let isStarting = pages !== null;
  return {
    '/health': readOnly(({ res }) => sendJson(res, 200, { status: 'ok' })),
    '/ready': readOnly(async ({ res }) => {
      if (isStarting) await Promise.race([pages?.build(), retiring]);
      isStarting = false;
      if (isReady()) sendJson(res, 200, { status: 'ready' });
      else sendJson(res, 503, { status: 'stopping' });
    }),
  };
}

/** The figures of the process for Prometheus. */
export function createMetricsEndpoint(metrics: Metrics): Endpoints {
  return {
    '/metrics': readOnly(async ({ res }) => {
      const { text, contentType } = await metrics.print();
      sendText(res, 200, contentType, text);
    }),
  };
}
