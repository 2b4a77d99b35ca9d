import type { Server } from 'node:net';
import { onTestFinished } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { listenOnLoopback } from '../support/http.ts';

/** Has a server listen until the test has ended. */
export async function open(server: Server, port = 0) {
  const loopback = await listenOnLoopback(server, port);
  onTestFinished(() => loopback.close());
  return loopback;
}

/** A gateway in front of an address, until the test has ended. */
export async function startBefore(baseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await startGateway(baseUrl, env);
  onTestFinished(() => gateway.close());
  return gateway;
}
