import { request as send, type Agent, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A server on a port of loopback, by default a random one, its address as a version-2 root, and the connections that it has had. */
export async function listenOnLoopback(server: Server, port = 0) {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    connections.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: `http://${host}`,
    baseUrl: (scheme: 'http' | 'https' = 'http') => `${scheme}://${host}/v2`,
    connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  };
}

/** A request to the letter. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Whether the body is sent without telling its length. */
  readonly isChunked?: boolean;
}

/** A response, character for character: all of its headers, each as `name: value`, sorted. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly text: string;
}

/** Sends a request over a connection of its own; leaves nothing out of the response but its date. */
export function ask(
  url: string,
  { method = 'POST', path = '/graphql', headers = {}, body, isChunked = false }: RawRequest,
): Promise<RawAnswer> {
  const length = body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const asking = send(url, { path, method, headers: { ...length, ...headers }, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', reject);
      res.once('end', () => {
        const names = Object.entries(res.headersDistinct).filter(([name]) => name !== 'date');
        resolve({
          status: res.statusCode ?? 0,
          headers: names.flatMap(([name, values = []]) => values.map((value) => `${name}: ${value}`)).sort(),
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    asking.once('error', reject);
    if (isChunked) asking.write(Buffer.from(body ?? '').subarray(0, 10));
    asking.end(isChunked ? Buffer.from(body ?? '').subarray(10) : body);
  });
}

/** A response, or how its connection failed: status 0, with the error's code as the text. */
export interface Outcome {
  readonly status: number;
  readonly text: string;
  /** The response's `Connection` header. */
  readonly connection?: string | undefined;
}

/**
 * Sends a GET with a key, without an agent on a connection of its own; never rejects. `refused` is the text where an agent's new
 * connection failed: no request was lost with it.
 */
export function get(
  url: string,
  { agent = false, key = 'test-key' }: { readonly agent?: Agent | false; readonly key?: string } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const isNew = agent !== false && !asking.reusedSocket;
      resolve({ status: 0, text: isNew ? 'refused' : (error.code ?? error.message) });
    };
    const answered = (res: IncomingMessage): void => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.once('error', failed);
      res.once('end', () => resolve({ status: res.statusCode ?? 0, text, connection: res.headers.connection }));
    };
    const asking = send(url, { agent, headers: { authorization: `Bearer ${key}` } }, answered);
    asking.once('error', failed).end();
  });
}

/** A connection of which nothing is read unless it is asked for. */
export function connectTo({ url }: { readonly url: string }): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {});
  return socket;
}

/** Sends bytes over a connection of its own; resolves with all that has come when the other side ends it. */
export async function hear(url: string, bytes: string | Buffer): Promise<string> {
  const socket = connectTo({ url });
  socket.write(bytes);
  return String(await buffer(socket));
}

/** A request for a query to the letter, with further lines in its head. */
export function queryBytes(query: string, ...lines: readonly string[]): string {
  const body = JSON.stringify({ query });
  const head = ['POST /graphql HTTP/1.1', 'host: a', ...lines, 'content-type: application/json'];
  return [...head, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}

/** How one connection is used, to the letter. */
export interface Talk {
  /** Written one after the other, a moment apart. */
  readonly pieces: readonly (string | Buffer)[];
  /** How many responses are waited for; 0 waits for the end of the connection. */
  readonly responses?: number;
  /** The connection is left after so long, whatever has come. */
  readonly waitMs: number;
  /** The connection is left when this resolves, where that is earlier. */
  readonly leaving?: Promise<void>;
}

/** An HTTP/1.1 response as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** What came of a talk, and how it ended: by all responses, by the server closing the connection, or by leaving. */
export interface Heard {
  readonly end: 'answered' | 'closed' | 'left';
  readonly responses: readonly WireResponse[];
}

const pauseMs = 5;

/** Talks to a server over a connection of its own; never rejects: what fails is an ending like any other. */
export function talk(url: string, { pieces, responses: wanted = 1, waitMs, leaving }: Talk): Promise<Heard> {
  const socket = connectTo({ url }).setNoDelay(true);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const finish = (end: Heard['end'], responses = responsesIn(Buffer.concat(chunks))): void => {
      clearTimeout(timer);
      socket.removeAllListeners('data').destroy();
      resolve({ end, responses });
    };
    const timer = setTimeout(() => finish('left'), waitMs);
    void leaving?.then(() => finish('left'));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (wanted === 0) return;
      const responses = responsesIn(Buffer.concat(chunks));
      if (responses.length >= wanted) finish('answered', responses);
    });
    socket.once('close', () => finish('closed'));
    socket.once('end', () => finish('closed'));
    void (async () => {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await new Promise((next) => setTimeout(next, pauseMs));
        if (socket.destroyed) return;
        socket.write(piece);
      }
    })();
  });
}

/** The whole responses at the beginning of some bytes, each with its length. */
function responsesIn(bytes: Buffer): readonly WireResponse[] {
  const responses: WireResponse[] = [];
  for (let at = 0; ;) {
    const start = bytes.indexOf('\r\n\r\n', at) + 4;
    if (start < 4) return responses;
    const head = bytes.toString('latin1', at, start);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? NaN);
    at = start + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (at > bytes.length) return responses;
    // An informational response comes before the final one.
    if (status >= 200) responses.push({ status, body: bytes.subarray(start, at) });
  }
}
