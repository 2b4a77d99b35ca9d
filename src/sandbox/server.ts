import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Refusal, unexpected } from './errors.ts';
import { contentOf, delayOf, type Content } from './routes.ts';
import { liveCount } from './webhook-delivery.ts';

/**
 * Where to listen, port 0 for a free one; `uptime` returns for how many milliseconds the sandbox has been running, which decides
 * how many deliveries have come, none without it.
 */
export interface SandboxOptions {
  readonly port: number;
  readonly host: string;
  readonly uptime?: () => number;
}

/** A running sandbox; `close` ends open connections at once and resolves when the port is free. */
export interface Sandbox {
  readonly baseUrl: string;
  close(): Promise<void>;
}

interface WireResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const jsonType = 'application/json; charset=utf-8';

function successOf(content: Content): WireResponse {
  if ('data' in content) return { status: 200, headers: { 'content-type': jsonType }, body: JSON.stringify(content) };
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${content.filename}"`,
  };
  return { status: 200, headers, body: content.csv };
}

function refusalOf(error: unknown): WireResponse {
  const { status, body } = error instanceof Refusal ? error : unexpected();
  const headers = { 'content-type': jsonType, ...(status === 405 && { allow: 'GET' }) };
  return { status, headers, body: JSON.stringify(body) };
}

function responseTo(request: IncomingMessage, uptime: () => number): WireResponse {
  const [path = '/', ...rest] = (request.url ?? '/').split('?');
  try {
    const query = new URLSearchParams(rest.join('?'));
    const { authorization } = request.headers;
    return successOf(
      contentOf({ method: request.method ?? 'GET', path, query, authorization, live: liveCount(uptime()) }),
    );
  } catch (error) {
    return refusalOf(error);
  }
}

function respond(request: IncomingMessage, response: ServerResponse, uptime: () => number): void {
  // The sandbox reads no body, and drains it so that the connection stays usable.
  request.resume();
  const send = (): void => {
    const { status, headers, body } = responseTo(request, uptime);
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  const [path = '/'] = (request.url ?? '/').split('?');
  const delay = delayOf({ path, authorization: request.headers.authorization });
  if (delay > 0) {
    const timer = setTimeout(send, delay);
    response.once('close', () => clearTimeout(timer));
  } else send();
}

/** Starts the sandbox upstream; rejects when the address cannot be bound. */
export async function startSandbox({ port, host, uptime = () => 0 }: SandboxOptions): Promise<Sandbox> {
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
}
