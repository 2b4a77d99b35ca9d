import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Gateway } from './gateway.ts';

/** A proxy to a gateway that can cut its connections, hold back what comes, and lead to another gateway. */
export async function startWay(first: Gateway) {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(target.url).port), '127.0.0.1');
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => sockets.delete(end));
    }
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    lead: (to: Gateway) => void (target = to),
    breakOff: () => sockets.forEach((socket) => socket.destroy()),
    /** Nothing comes any more on the connections of now, which stay open. */
    hush: () => sockets.forEach((socket) => socket.unpipe().pause()),
    /** The open connections, both ends counted. */
    size: () => sockets.size,
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}
