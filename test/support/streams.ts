import { createServer, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Gateway, QueryOptions } from './gateway.ts';
import { connectTo, listenOnLoopback } from './http.ts';
import type { Json } from './records.ts';

/** One event as it came over the wire. */
export interface StreamEvent {
  readonly name: string;
  readonly data: Json;
}

/** A subscription over server-sent events, in distinct connections mode. */
export type EventStream = Awaited<ReturnType<typeof subscribe>>;

/** Subscribes; resolves when the response begins. */
export async function subscribe(
  gateway: Pick<Gateway, 'url'>,
  query: string,
  { variables, key = 'test-key', headers = {} }: QueryOptions = {},
) {
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
    signal: leaving.signal,
  });
  const events: StreamEvent[] = [];
  let lastEventId = '';
  const begun = Promise.withResolvers<void>();
  const note = (id: string): void => {
    lastEventId = id;
    begun.resolve();
  };
  return {
    status: response.status,
    headers: response.headers,
    /** The events so far. */
    events: events as readonly StreamEvent[],
    /** The id that came last; empty where none has. */
    get lastEventId() {
      return lastEventId;
    },
    /** Resolves with the first event id. */
    begun: begun.promise,
    ended: collect(response, events, note).catch(() => {}),
    close: () => leaving.abort(),
  };
}

async function collect({ body }: Response, events: StreamEvent[], note: (id: string) => void): Promise<void> {
  if (body === null) return;
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = valueIn(block, 'id');
      if (id !== '') note(id);
      events.push(...eventIn(block));
    }
  }
}

/** None in a comment, which only keeps the connection open, nor in an id alone. */
function eventIn(block: string): readonly StreamEvent[] {
  const [name, data] = [valueIn(block, 'event'), valueIn(block, 'data')];
  return name + data === '' ? [] : [{ name, data: data === '' ? null : JSON.parse(data) }];
}

function valueIn(block: string, field: string): string {
  const line = block.split('\n').find((text) => text.startsWith(`${field}:`));
  return line?.slice(field.length + 1).trim() ?? '';
}

/** A message of the gateway. */
export interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  readonly payload?: Json;
}

/** How a WebSocket is opened. */
export interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: string | readonly string[];
  /** The payload of `connection_init`; the key `test-key` by default. Null sends no `connection_init`. */
  readonly payload?: object | null;
}

/** A WebSocket to a gateway, to be used message by message. */
export type GraphqlSocketClient = Awaited<ReturnType<typeof openSocket>>;

/** Opens a WebSocket. Rejects with the status of the refusal as its message. */
export async function openSocket(
  { url }: { readonly url: string },
  {
    headers = {},
    protocols = 'graphql-transport-ws',
    payload = { authorization: 'Bearer test-key' },
  }: SocketOptions = {},
) {
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
    /** The same messages, to the letter. */
    texts,
    /** Resolves with the code and the reason of the end. */
    closed,
    send,
    subscribe: (id: string, asked: object) => send({ id, type: 'subscribe', payload: asked }),
    /** Resolves with the first message of an id and a type, when it has come. */
    next: (id: string, type = 'next') => first((message) => message.id === id && message.type === type),
  };
}

/** The headers of an upgrade. */
export const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'graphql-transport-ws',
};

/** The head of an upgrade, to the letter, with headers to change or, where null, to leave out. */
export function upgradeHead(changes: Readonly<Record<string, string | null>> = {}, target = '/graphql'): string {
  const headers: Readonly<Record<string, string | null>> = { host: 'gateway.example', ...upgrade, ...changes };
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

/** A proxy to a gateway that can cut its connections, hold back what comes, and lead to another gateway. */
export async function startWay(first: Gateway) {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connectTo(target);
    for (const end of [socket, onward]) sockets.add(end.on('close', () => sockets.delete(end)));
    socket
      .pipe(onward)
      .pipe(socket)
      .on('close', () => onward.destroy());
  });
  const { origin, close } = await listenOnLoopback(server);
  return {
    url: `${origin}/graphql`,
    lead: (to: Gateway) => void (target = to),
    breakOff: () => sockets.forEach((socket) => socket.destroy()),
    /** Nothing comes any more on the connections of now, which stay open. */
    hush: () => sockets.forEach((socket) => socket.unpipe().pause()),
    close,
  };
}
