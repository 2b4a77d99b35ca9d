import { type IncomingMessage, request as beginRequest } from 'node:http';
import type { Answer, Client, Question } from '../types.ts';
import { connectTo, type WorldSocket } from './wire.ts';

/** Hears a question, and then its answer. */
type Watch = (replica: number, question: Question) => (answer: Answer) => void;

/** Creates the clients of all replicas; `portOf` is where a replica listens now. */
export function createClient(portOf: (replica: number) => number, watch: Watch): Client {
  return {
    request: (replica, question) =>
      new Promise((resolve) => {
        const answered = watch(replica, question);
        const socket = connectTo(portOf(replica), undefined);
        // Between the last byte and the end of its connection nobody else listens.
        socket.on('error', () => {});
        exchange(socket, question, (answer) => {
          answered(answer);
          resolve(answer);
        });
      }),
  };
}

const nothing: Answer = { status: 0, headers: {}, body: '', ended: 'cut' };

/** Sends one request over a connection, and ends it. */
function exchange(socket: WorldSocket, question: Question, done: (answer: Answer) => void): void {
  const { method, path, headers, body, signal } = question;
  let answer = nothing;
  let isDone = false;
  const settle = (ended: Answer['ended']): void => {
    if (isDone) return;
    isDone = true;
    signal?.removeEventListener('abort', leave);
    done({ ...answer, ended });
    socket.destroy();
  };
  const leave = (): void => {
    socket.destroy();
    settle('cut');
  };
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const req = beginRequest({
    method,
    path,
    headers: { host: 'localhost', connection: 'close', ...length, ...headers },
    createConnection: () => socket,
  });
  req.on('error', () => settle('cut'));
  req.on('response', (res: IncomingMessage) => {
    const parts: Buffer[] = [];
    answer = { status: res.statusCode ?? 0, headers: plain(res.headers), body: '', ended: 'cut' };
    const read = (): string => Buffer.concat(parts).toString('utf8');
    res.on('data', (chunk: Buffer) => {
      parts.push(chunk);
      question.onChunk?.(chunk.toString('utf8'));
    });
    res.on('error', () => {});
    res.on('close', () => {
      answer = { ...answer, body: read() };
      settle(res.complete ? 'whole' : 'cut');
    });
  });
  req.on('close', () => settle('cut'));
  if (signal?.aborted === true) return leave();
  signal?.addEventListener('abort', leave, { once: true });
  return void req.end(body);
}

function plain(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
