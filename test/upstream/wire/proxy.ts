import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { open } from '../loopback.ts';

/**
 * A proxy, and what it was asked for: `CONNECT host:port`, or a whole address. It makes
 * tunnels, and answers whole addresses as the API would, unless it refuses.
 */
export async function startProxy(respond: RequestListener, refuse: number | null = null) {
  const asked: string[] = [];
  const heard: (string | undefined)[] = [];
  const hear = ({ method = '', url = '', headers }: IncomingMessage): void => {
    asked.push(`${method} ${url.replace(/\?.*/, '')}`);
    heard.push(headers['proxy-authorization']);
  };
  const server = createServer((request, response) => {
    hear(request);
    if (refuse === null) respond(request, response);
    else response.writeHead(refuse).end();
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    hear(request);
    if (refuse !== null) return client.end(`HTTP/1.1 ${refuse} Refused\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => target.destroy());
    client.on('close', () => target.destroy());
    return client;
  });
  const { baseUrl } = await open(server);
  const { host, port } = new URL(baseUrl());
  return { asked, heard, host, port };
}
