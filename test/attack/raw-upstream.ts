import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { goodCallerReply, isGoodCall } from '../hostile/good-caller.ts';
import { seenRequest, type SeenRequest } from '../support/scripted-upstream.ts';
import type { UpstreamResponse, UpstreamFraming } from './upstream-response.ts';

/** An upstream on loopback that writes responses byte by byte, a certain one for each key. */
export interface RawUpstream extends AsyncDisposable {
  /** The version-2 root. */
  readonly baseUrl: string;
  /** The response for each key; the good caller's are good. */
  readonly responses: Map<string, UpstreamResponse>;
  /** The keys of the calls so far. */
  readonly keys: string[];
}

// Nobody waits longer for an upstream that sends no more.
const silentMs = 5_000;

/** Starts one; a key without a response gets 401. */
export async function startRawUpstream(): Promise<RawUpstream> {
  const responses = new Map<string, UpstreamResponse>();
  const keys: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const request = requestIn(text.slice(0, end));
      text = text.slice(end + 4);
      keys.push(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
      void reply(socket, request, responses.get(keys.at(-1) ?? ''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v2`,
    responses,
    keys,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function requestIn(head: string): SeenRequest {
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return seenRequest(first.split(' ')[1] ?? '/', Object.fromEntries(headers));
}

async function reply(socket: Socket, request: SeenRequest, response: UpstreamResponse | undefined): Promise<void> {
  if (isGoodCall(request)) return sendWhole(socket, '200 OK', JSON.stringify(goodCallerReply(request).json));
  if (response === undefined)
    return sendWhole(socket, '401 Unauthorized', '{"errors":[{"code":"10009","title":"No"}]}');
  const { interim, statusLine, headers, framing, pieces, pauseMs, end } = response;
  const body = response.body(request);
  const lines = [statusLine, ...headers.map((header) => header.join(': ')), ...framings[framing].lines(body.length)];
  socket.write(
    Buffer.from([...interim.map((line) => `${line}\r\n\r\n`), `${lines.join('\r\n')}\r\n\r\n`].join(''), 'latin1'),
  );
  const size = Math.ceil(body.length / pieces);
  for (let at = 0; at < body.length && !socket.destroyed; at += size) {
    socket.write(framings[framing].wrap(body.subarray(at, at + size)));
    if (pauseMs > 0 && pieces > 1) await sleep(pauseMs);
  }
  socket.write(framings[framing].last);
  if (end === 'closes' || framing === 'until close') return void socket.end();
  if (end === 'resets') return void setImmediate(() => socket.resetAndDestroy());
  if (end === 'says no more') return void setTimeout(() => socket.destroy(), silentMs).unref();
  return undefined;
}

function sendWhole(socket: Socket, status: string, body: string): void {
  const length = Buffer.byteLength(body);
  socket.write(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`);
}

interface Frame {
  lines(length: number): readonly string[];
  wrap(piece: Buffer): Buffer;
  readonly last: string;
}

const asItIs = (piece: Buffer): Buffer => piece;
const chunk = (piece: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
const lastChunk = '0\r\nx-trailer: secret-trailer\r\n\r\n';

const framings: Readonly<Record<UpstreamFraming, Frame>> = {
  length: { lines: (length) => [`content-length: ${length}`], wrap: asItIs, last: '' },
  chunked: { lines: () => ['transfer-encoding: chunked'], wrap: chunk, last: lastChunk },
  'until close': { lines: () => ['connection: close'], wrap: asItIs, last: '' },
  'too long': { lines: (length) => [`content-length: ${length + 100}`], wrap: asItIs, last: '' },
  'too short': { lines: (length) => [`content-length: ${Math.max(0, length - 5)}`], wrap: asItIs, last: '' },
  both: {
    lines: (length) => [`content-length: ${length}`, 'transfer-encoding: chunked'],
    wrap: chunk,
    last: lastChunk,
  },
  'two lengths': { lines: (length) => [`content-length: ${length}`, 'content-length: 7'], wrap: asItIs, last: '' },
  'no last chunk': { lines: () => ['transfer-encoding: chunked'], wrap: chunk, last: '' },
};
