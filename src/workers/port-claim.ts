import { createServer } from 'node:net';
import type { Config } from '../config.ts';

type Ports = Pick<Config, 'host' | 'port' | 'adminPort'>;

/** Claims the ports of a gateway, except those that the system is to choose. Rejects where another gateway has one. */
export async function claimPorts({ host, port, adminPort }: Ports): Promise<void> {
  if (port !== 0) await claimPort('PORT', host, port);
  if (adminPort !== null && adminPort !== 0) await claimPort('ADMIN_PORT', host, adminPort);
}

/**
 * Claims a port for this process. Workers share their port by an option of the system, which would let the workers of a second
 * gateway take a part of the connections. The claim is a name on the network of this machine (Linux alone), and ends with the
 * process. Rejects where another gateway has it.
 */
async function claimPort(variable: string, host: string, port: number): Promise<void> {
  if (process.platform !== 'linux') return;
  // Nobody has anything to say here.
  const claim = createServer((socket) => socket.destroy()).unref();
  await new Promise<void>((resolve, reject) => {
    claim.once('error', () =>
      reject(new Error(`${variable} ${port} on HOST ${host} is in use by another process (EADDRINUSE)`)),
    );
    claim.listen(`\0switchboard ${host} ${port}`, resolve);
  });
}
