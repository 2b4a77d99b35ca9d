import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, unexpected } from './errors.ts';
import { answer, delayOf } from './routes.ts';
import type { Answer } from './routes.ts';
import { liveCount } from './webhook-delivery.ts';

/**
 * Where to listen; port 0 takes a free one. `uptime` tells for how many milliseconds it has been running, which decides how
 * many deliveries have come meanwhile; without it, none come.
 */
export type SandboxOptions = { port: number; host: string; uptime?: () => number };

/** A running sandbox. `close` ends open connections at once and resolves when the port is free. */
export type Sandbox = { baseUrl: string; close(): Promise<void> };

type Message = { status: number; headers: Record<string, string>; body: string };

const JSON_TYPE = 'application/json; charset=utf-8';

const success = (given: Answer): Message => {
  if ('data' in given) return { status: 200, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(given) };
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${given.filename}"`,
  };
  return { status: 200, headers, body: given.csv };
};

const refusal = (error: unknown): Message => {
  const { status, body } = error instanceof Refusal ? error : unexpected();
  const headers = { 'content-type': JSON_TYPE, ...(status === 405 && { allow: 'GET' }) };
  return { status, headers, body: JSON.stringify(body) };
};

const message = (request: IncomingMessage, uptime: () => number): Message => {
  const [path = '/', ...rest] = (request.url ?? '/').split('?');
  try {
    const query = new URLSearchParams(rest.join('?'));
    const { authorization } = request.headers;
    return success(answer({ method: request.method ?? 'GET', path, query, authorization, live: liveCount(uptime()) }));
  } catch (error) {
    return refusal(error);
  }
};

const respond = (request: IncomingMessage, response: ServerResponse, uptime: () => number): void => {
  // The sandbox reads no body; what a client sends is drained, so that its connection stays usable.
  request.resume();
  const send = (): void => {
    const { status, headers, body } = message(request, uptime);
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  const [path = '/'] = (request.url ?? '/').split('?');
  const delay = delayOf({ path, authorization: request.headers.authorization });
  if (delay > 0) {
    const timer = setTimeout(send, delay);
    response.once('close', () => clearTimeout(timer));
  } else send();
};

/** Starts the sandbox upstream; rejects when the address cannot be bound. Data is made when first asked for. */
export const startSandbox = async ({ port, host, uptime = () => 0 }: SandboxOptions): Promise<Sandbox> => {
  const server = createServer((request, response) => respond(request, response, uptime));
  const listening = Promise.withResolvers<undefined>();
  server.once('error', listening.reject);
  server.listen(port, host, () => listening.resolve(undefined));
  await listening.promise;
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    baseUrl: `http://${name}:${bound}/v2`,
    close: async () => {
      const closed = Promise.withResolvers<undefined>();
      server.close(() => closed.resolve(undefined));
      server.closeAllConnections();
      await closed.promise;
    },
  };
};
