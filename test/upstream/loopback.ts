import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';

/** A server on a random port of loopback, its address as a version-2 root, and the connections that it has had. */
export async function listenOnLoopback(server: Server) {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    connections.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: (scheme: 'http' | 'https' = 'http') => `${scheme}://127.0.0.1:${port}/v2`,
    connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  };
}

/** The same until the test has ended. */
export async function open(server: Server) {
  const loopback = await listenOnLoopback(server);
  onTestFinished(() => loopback.close());
  return loopback;
}

/** A gateway in front of an address, until the test has ended. */
export async function startBefore(baseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await startGateway(baseUrl, env);
  onTestFinished(() => gateway.close());
  return gateway;
}
