import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/** A message of the gateway. */
export interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly payload?: any;
}

/** How a WebSocket is opened. */
export interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: string | readonly string[];
  /** The payload of `connection_init`; the key `test-key` by default. Null sends no `connection_init`. */
  readonly payload?: object | null;
}

/** A WebSocket to a gateway, to be used message by message. */
export interface GraphqlSocketClient {
  readonly ws: WebSocket;
  readonly messages: readonly SocketMessage[];
  /** The same messages, to the letter. */
  readonly texts: readonly string[];
  /** Resolves with the code and the reason of the end. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  send(message: object): void;
  subscribe(id: string, payload: object): void;
  /** Resolves with the first message of an id and a type, when it has come. */
  next(id: string, type?: string): Promise<SocketMessage>;
}

/** Opens a WebSocket. Rejects with the status of the refusal as its message. */
export async function openSocket(
  { url }: { readonly url: string },
  {
    headers = {},
    protocols = 'graphql-transport-ws',
    payload = { authorization: 'Bearer test-key' },
  }: SocketOptions = {},
): Promise<GraphqlSocketClient> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/graphql`, [protocols].flat(), { headers });
  const messages: SocketMessage[] = [];
  const texts: string[] = [];
  const listeners = new Set<() => void>();
  ws.on('message', (data) => {
    const text = (data as Buffer).toString('utf8');
    texts.push(text);
    messages.push(JSON.parse(text) as SocketMessage);
    for (const listener of listeners) listener();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') }));
  });
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
    ws.once('unexpected-response', (_request, { statusCode }) => {
      reject(new Error(String(statusCode)));
      ws.terminate();
    });
  });
  ws.on('error', () => {});
  const send = (message: object): void => ws.send(JSON.stringify(message));
  const first = (isIt: (message: SocketMessage) => boolean): Promise<SocketMessage> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = messages.find(isIt);
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
    });
  if (payload !== null) {
    send({ type: 'connection_init', payload });
    await Promise.race([first(({ type }) => type === 'connection_ack'), closed]);
  }
  return {
    ws,
    messages,
    texts,
    closed,
    send,
    subscribe: (id, asked) => send({ id, type: 'subscribe', payload: asked }),
    next: (id, type = 'next') => first((message) => message.id === id && message.type === type),
  };
}

/** The head of an upgrade, to the letter, with headers to change or, where null, to leave out. */
export function upgradeHead(changes: Readonly<Record<string, string | null>> = {}, target = '/graphql'): string {
  const headers: Readonly<Record<string, string | null>> = {
    host: 'gateway.example',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': 'graphql-transport-ws',
    ...changes,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** A frame of a client: its opcode (1 text, 2 binary, 8 close, 9 ping), whether it is the last of its message, and its bytes. */
export function frame(opcode: number, data: string | Buffer, isLast = true): Buffer {
  const bytes = Buffer.from(data);
  const length = Buffer.alloc(bytes.length < 126 ? 1 : 9);
  length[0] = 0x80 | (bytes.length < 126 ? bytes.length : 127);
  if (bytes.length >= 126) length.writeBigUInt64BE(BigInt(bytes.length), 1);
  // A mask of zeros changes nothing.
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode]), length, Buffer.alloc(4), bytes]);
}

/** A connection of which nothing is read unless it is asked for. */
export function connectTo({ url }: { readonly url: string }): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {});
  return socket;
}
