import http from 'node:http';
import type { Api, ApiReply, ApiRequest, World } from '../types.ts';
import { listenOn, type WorldSocket } from './wire.ts';

/** The port of the simulated API, and its address for the gateway. */
export const apiPort = 80;
export const apiUrl = 'http://api.world/v2';
const root = '/v2';

/** Serves the simulated API on its port, in plain HTTP/1.1 of its own: a reply may be cut, reset, or no HTTP at all. */
export function serveApi(world: World, api: Api, heard: (request: ApiRequest) => void): () => void {
  return listenOn(apiPort, (socket) => {
    let text = '';
    let isBusy = false;
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    const read = (): void => {
      const end = text.indexOf('\r\n\r\n');
      if (isBusy || end < 0 || socket.destroyed) return;
      const request = requestIn(text.slice(0, end));
      text = text.slice(end + 4);
      heard(request);
      const reply = api(request);
      if (reply === 'refuse') return void socket.resetAndDestroy();
      isBusy = true;
      if (reply === 'silence') return;
      send(world, socket, reply, () => {
        isBusy = false;
        if (reply.headers['connection'] === 'close') socket.end();
        else read();
      });
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      read();
    });
  });
}

function requestIn(head: string): ApiRequest {
  const [first = '', ...lines] = head.split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
  }
  const [path = '', query = ''] = (target.startsWith(root) ? target.slice(root.length) : target).split('?');
  const key = /^Bearer (.*)$/.exec(headers['authorization'] ?? '')?.[1] ?? null;
  return { method, path, query, key, headers };
}

/** Sends a reply, part by part; `done` runs when another request may follow. */
function send(world: World, socket: WorldSocket, reply: ApiReply, done: () => void): void {
  const { chunks, end, status } = reply;
  const length = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const names = new Set(Object.keys(reply.headers).map((name) => name.toLowerCase()));
  const isFramed = names.has('content-length') || names.has('transfer-encoding') || status === 204 || status === 304;
  const isChunked = !isFramed && (end !== 'end' || chunks.length > 1);
  const framing = isFramed ? [] : [isChunked ? 'transfer-encoding: chunked' : `content-length: ${length}`];
  const lines = Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`);
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'Unknown'}\r\n${[...lines, ...framing].join('\r\n')}\r\n\r\n`;
  const write = (bytes: Buffer): void => {
    if (!socket.destroyed && socket.writable) socket.write(bytes);
  };
  const frame = (bytes: Buffer): Buffer =>
    isChunked ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]) : bytes;
  const next = (index: number): void => {
    const chunk = chunks[index];
    if (chunk === undefined) return finish();
    const go = (): void => {
      if (chunk.bytes.length > 0) write(frame(chunk.bytes));
      next(index + 1);
    };
    return chunk.afterMs > 0 ? world.after(chunk.afterMs, go) : go();
  };
  const finish = (): void => {
    if (end === 'reset') return void socket.resetAndDestroy();
    if (end === 'never') return undefined;
    if (isChunked) write(Buffer.from('0\r\n\r\n'));
    return done();
  };
  world.after(Math.max(1, reply.afterMs), () => {
    write(Buffer.from(head, 'latin1'));
    next(0);
  });
}
