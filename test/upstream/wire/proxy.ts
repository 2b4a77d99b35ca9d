import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { open } from '../loopback.ts';
import { certificate } from './certificates.ts';

interface ProxyOptions {
  /** The status of all that it says. */
  readonly refuse?: number;
  /** Whether it is itself reached by https. */
  readonly isSecure?: boolean;
}

/** A proxy, and what it was asked for: `CONNECT host:port` for a tunnel, or a whole address, which it answers as the API would. */
export async function startProxy(respond: RequestListener, { refuse, isSecure = false }: ProxyOptions = {}) {
  const asked: string[] = [];
  const heard: (string | undefined)[] = [];
  const hear = ({ method = '', url = '', headers }: IncomingMessage): void => {
    asked.push(`${method} ${url.replace(/\?.*/, '')}`);
    heard.push(headers['proxy-authorization']);
  };
  const server = isSecure ? createSecureServer(certificate) : createServer();
  server.on('request', (request, response) => {
    hear(request);
    if (refuse === undefined) respond(request, response);
    else response.writeHead(refuse).end();
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    hear(request);
    if (refuse !== undefined) return client.end(`HTTP/1.1 ${refuse} Refused\r\n\r\n`);
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
