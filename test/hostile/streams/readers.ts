import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** How the streams of a crowd are read. */
export type Reading = 'all' | 'none' | 'slow' | 'some stop';

export interface CrowdOptions {
  readonly url: string;
  readonly key: string;
  readonly streams: number;
  readonly reading: Reading;
  readonly isAlike: boolean;
}

/** What the streams have got so far. */
export interface Crowd {
  readonly begun: number;
  readonly ended: number;
  /** Of streams that read all: how many events the one with fewest has got; infinite where there are none. */
  readonly least: number;
}

// A thread of its own: what the streams cost is not the patience of another caller.
const { url, key, streams, reading, isAlike } = workerData as CrowdOptions;
const { hostname, port } = new URL(url);
const mark = Buffer.from('event: next\n');

class Stream {
  begun = false;
  ended = false;
  events = 0;
  tail = Buffer.alloc(0);
  readonly reads: boolean;
  readonly socket: Socket;

  constructor(index: number) {
    this.reads = reading === 'all' || (reading === 'some stop' && index % 10 !== 0);
    const field = isAlike ? 'webhook' : `w${index}: webhook`;
    const query = `subscription { webhookDeliveries { id ${field} { payload } } }`;
    const body = JSON.stringify({ query });
    this.socket = connect(Number(port), hostname, () =>
      this.socket.write(
        [
          'POST /graphql HTTP/1.1',
          'host: gateway',
          `authorization: Bearer ${key}`,
          'accept: text/event-stream',
          'content-type: application/json',
          `content-length: ${body.length}`,
          `\r\n${body}`,
        ].join('\r\n'),
      ),
    );
    this.socket.on('error', () => {});
    this.socket.on('close', () => (this.ended = true));
    this.socket.on('data', (chunk) => this.take(chunk as Buffer));
  }

  take(chunk: Uint8Array): void {
    const text = Buffer.concat([this.tail, Buffer.from(chunk)]);
    if (!this.begun && text.includes('id: ')) {
      this.begun = true;
      if (reading === 'none' || (reading === 'some stop' && !this.reads)) this.socket.pause();
    }
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) this.events++;
    const from = Math.max(0, text.length - mark.length + 1);
    this.tail = text.subarray(from);
    if (text.includes('event: complete')) this.ended = true;
    if (reading === 'slow') {
      this.socket.pause();
      setTimeout(() => this.socket.resume(), 1_000).unref();
    }
  }
}

const all: Stream[] = [];
for (let index = 0; index < streams; index++) {
  all.push(new Stream(index));
  // As many at a time as a listener takes.
  if (index % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 20));
}

parentPort?.on('message', (question: string) => {
  if (question === 'leave') {
    for (const { socket } of all) socket.destroy();
    parentPort?.close();
    return;
  }
  const readers = all.filter(({ reads, ended }) => reads && !ended);
  const crowd: Crowd = {
    begun: all.filter(({ begun }) => begun).length,
    ended: all.filter(({ ended }) => ended).length,
    least: Math.min(...readers.map(({ events }) => events)),
  };
  // A port of a thread has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(crowd);
});
