import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import { createSchema } from './graphql/schema.ts';
import { printClientSchema, readTypeDefs } from './graphql/type-defs.ts';
import { deadlineOf } from './http/deadline.ts';
import type { Exchange } from './http/exchange.ts';
import { createGraphqlServer } from './http/graphql-server.ts';
import { createRouter } from './http/router.ts';
import { createLookUps } from './lists/look-ups.ts';
import { createLoaders } from './loaders/loaders.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createCall } from './upstream/call.ts';
import { createClient, type Caller } from './upstream/client.ts';
import { bearerKeyOf, withoutKey } from './upstream/credential.ts';
import { breakCircuit } from './upstream/breaker.ts';
import { identityOf } from './upstream/caller-identity.ts';
import { limitConcurrency } from './upstream/concurrency.ts';
import { respectRateLimits } from './upstream/rate-limit.ts';
import { retry } from './upstream/retry.ts';
import { observe } from './upstream/observe.ts';
import { getChargesBreakdownCsv } from './upstream/operations/charges-breakdown.ts';
import { createTransport } from './upstream/transport.ts';

/** A config whose upstream has been decided on: the composition does not know of the sandbox. */
export type AppConfig = Config & { readonly upstreamBaseUrl: string };

export interface App {
  /** Where it listens, e.g. `http://127.0.0.1:4000`. */
  readonly url: string;
  /** Stops accepting, lets what is under way finish for ten seconds at most, then closes all. */
  close(): Promise<void>;
}

const longestStopMs = 10_000;

type Patience = Pick<Caller, 'signal' | 'deadline'>;

function callerOf(authorization: string | undefined, exchange: Exchange, patience: Patience): Caller {
  const key = bearerKeyOf(authorization);
  return {
    key,
    identity: key === null ? '' : identityOf(key),
    requestId: exchange.requestId,
    ...patience,
    countCall: () => exchange.upstreamCalls++,
  };
}

/**
 * The way upstream, in the order of its stages: a retry begins anew at the rate limit; a breaker that is open costs no place
 * in the queue; what waits in the queue has not been sent, so only what goes out is observed.
 */
function createUpstream(config: AppConfig, metrics: Metrics) {
  const transport = createTransport(config.upstreamBaseUrl, {
    timeoutMs: config.upstreamTimeoutMs,
    connectTimeoutMs: config.upstreamConnectTimeoutMs,
    stallTimeoutMs: config.upstreamStallTimeoutMs,
    maxBodyBytes: config.upstreamMaxBodyBytes,
  });
  const client = createClient(transport, [
    retry({ most: config.upstreamRetries }),
    respectRateLimits(),
    breakCircuit({ openMs: config.upstreamBreakerOpenMs }),
    limitConcurrency({
      most: config.upstreamMaxConcurrency,
      queueSize: config.upstreamQueueSize,
      queueTimeoutMs: config.upstreamQueueTimeoutMs,
    }),
    observe(metrics),
  ]);
  return { transport, client };
}

/** Puts the whole gateway together and listens. Rejects where the address cannot be used. */
export async function startApp(config: AppConfig, log: Log = createLog(config.logLevel)): Promise<App> {
  const metrics = createMetrics();
  const { transport, client } = createUpstream(config, metrics);
  const typeDefs = readTypeDefs();
  const schema = createSchema(typeDefs);
  const { exposeSecrets, upstreamScanPages: scanPages, upstreamLookUp: lookUp } = config;
  let isReady = true;

  const graphql = createGraphqlServer(
    schema,
    (authorization, exchange) => {
      const patience = deadlineOf(exchange, config.operationTimeoutMs);
      const loaders = createLoaders(client, callerOf(authorization, exchange, patience));
      return { loaders, lookUps: createLookUps(loaders, { scanPages, lookUp }), exposeSecrets, scanPages };
    },
    log,
  );
  const router = createRouter({
    graphql,
    sdl: printClientSchema(typeDefs),
    openReport: async (dates, authorization, exchange) => {
      const call = createCall(getChargesBreakdownCsv, { ...dates });
      // The deadline is for its beginning: a download takes as long as its reader does.
      const patience = { signal: exchange.signal, deadline: performance.now() + config.operationTimeoutMs };
      return client.stream(call, callerOf(authorization, exchange, patience));
    },
    hideKey: (text, authorization) => {
      const key = bearerKeyOf(authorization);
      return key === null ? text : withoutKey(text, key);
    },
    isReady: () => isReady,
    corsOrigins: config.corsOrigins,
    log,
    metrics,
  });

  const server = createServer((req, res) => {
    // While stopping, a kept connection ends with the answer that it is waiting for.
    if (!isReady) res.shouldKeepAlive = false;
    router(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;

  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async close() {
      isReady = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // server.close() alone waits for idle connections until their keep-alive ends.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const deadline = setTimeout(() => server.closeAllConnections(), longestStopMs);
      server.closeIdleConnections();
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
      await transport.close();
    },
  };
}
