import { setImmediate as nextTick } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Attack } from './attack.ts';
import { sendAll } from './batch.ts';
import type { Fault } from './fault.ts';
import { startHostileGateway, type GatewayProcess } from '../hostile/gateway-process.ts';
import { callToolAsGoodCaller, isToolCall } from '../hostile/good-caller.ts';
import { gatherHandouts, healthyScript } from './handouts.ts';
import { faultsOfMemory, faultsOfProcess } from './process-faults.ts';
import { clientSchema } from './request-body.ts';
import { strangerRequest } from './stranger-request.ts';
import { createTally } from './tally.ts';
import { describeRequest, type StrangerRequest } from './wire.ts';

export interface StrangerAttack extends Attack<StrangerRequest>, AsyncDisposable {
  /** Checks the memory left by all requests; starts a new process where it is too much. */
  checkMemory(waitMs?: number): Promise<readonly Fault[]>;
  /** How many requests were sent, and how. */
  tally(): Readonly<Record<string, number>>;
}

// Every feature that a stranger can reach is on.
const settings = {
  UPSTREAM_BREAKER_OPEN_MS: '1',
  EXPLAIN: 'true',
  CORS_ORIGINS: 'https://app.example.com',
  MCP: 'true',
  MCP_QUERIES: 'true',
  // The host of most requests: the tool server refuses others.
  PUBLIC_URL: 'https://gateway',
  AUTHORIZATION_SERVERS: 'https://keys.example.com',
  // Nobody listens there.
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  PERSISTED_OPERATIONS: fileURLToPath(new URL('operations/', import.meta.url)),
};

/** A gateway before a healthy upstream, and requests of strangers. */
export async function startStrangerAttack(preloads: readonly URL[] = []): Promise<StrangerAttack> {
  const start = (): Promise<GatewayProcess> =>
    startHostileGateway({ hasPages: true, script: healthyScript(), heapMiB: 384, preloads, env: settings });
  let gateway = await start();
  const material = { schema: clientSchema(), handouts: await gatherHandouts(gateway.url) };
  let before = await gateway.read();
  const tally = createTally();

  async function restart(): Promise<void> {
    await gateway[Symbol.asyncDispose]();
    gateway = await start();
    before = await gateway.read();
  }
  return {
    tally: () => tally.read(),
    inputs: strangerRequest(material),
    describe: describeRequest,
    async run(requests) {
      gateway.upstream.requests.length = 0;
      for (const { standing, sending, reading, framing } of requests)
        tally.note('requests', standing, `sent ${sending}`, `read: ${reading}`, `framed: ${framing}`);
      const calling = callToolAsGoodCaller(gateway.url);
      await Promise.race([calling, toolCallSeen(gateway)]);
      const faults = await sendAll(gateway, requests);
      const called = await calling;
      if (called !== null) faults.push({ promise: 'the good caller is served', detail: `by a tool: ${called}` });
      const ofProcess = await faultsOfProcess(gateway);
      if (ofProcess.length > 0) await restart();
      return [...faults, ...ofProcess];
    },
    async checkMemory(waitMs) {
      const faults = await faultsOfMemory(gateway, before, waitMs);
      if (faults.length > 0) await restart();
      return faults;
    },
    [Symbol.asyncDispose]: async () => gateway[Symbol.asyncDispose](),
  };
}

const mostTicks = 100_000;

/** Resolves when the good caller's tool has called the upstream. From then on others may interfere with it. */
async function toolCallSeen({ upstream }: GatewayProcess): Promise<void> {
  for (let tick = 0; tick < mostTicks && !upstream.requests.some(isToolCall); tick++) await nextTick();
}
