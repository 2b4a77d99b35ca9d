import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyChunks } from '../../body-chunks.ts';
import { bodyChunks, requestBody } from '../../bounds.ts';
import { excessOfBody, tooLarge } from './json-limits.ts';
import { UnfinishedBodies, UnfinishedBody } from './unfinished-bodies.ts';
import { closeWhenResponded } from './unread-body.ts';

/** Takes the body of a request, once. */
export interface BodyTaker {
  /** A body that grows beyond `requestBody` is given up: then it is what has come, more than `requestBody` bytes. */
  readonly take: (body: Buffer) => void;
  /**
   * The client has left; RATE_LIMITED where unfinished bodies hold too much memory, and QUERY_TOO_COMPLEX where the JSON would take
   * too long to parse, or comes in too many chunks; or `take` has thrown.
   */
  readonly fail: (error: unknown) => void;
}

/** Reads the JSON body of a request. A taker, not a promise, since most requests have a body, which needs no further tick. */
export type ReadBody = (req: IncomingMessage, res: ServerResponse, taker: BodyTaker) => void;

/** Creates the reader of all bodies, which share one bound on their memory. */
export function createBodyReader(): ReadBody {
  const bodies = new UnfinishedBodies();
  return (req, res, taker) => {
    const incoming = new IncomingBody(bodies, req, res, taker);
    // Each of these events comes once at most, and `once` would cost more than its listener. Without a listener for it, Node sends no
    // error; the request is closed behind it anyway.
    req.on('data', incoming.grow);
    req.on('end', () => incoming.end());
    req.on('close', () => incoming.close());
  };
}

/** The body of a request, resolved when it is whole. */
export function wholeBody(readBody: ReadBody, req: IncomingMessage, res: ServerResponse): Promise<Buffer> {
  return new Promise((take, fail) => readBody(req, res, { take, fail }));
}

class IncomingBody extends UnfinishedBody {
  readonly #bodies: UnfinishedBodies;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #taker: BodyTaker;
  readonly #chunks = new BodyChunks();
  #count = 0;
  #isOver = false;

  constructor(bodies: UnfinishedBodies, req: IncomingMessage, res: ServerResponse, taker: BodyTaker) {
    super();
    this.#bodies = bodies;
    this.#req = req;
    this.#res = res;
    this.#taker = taker;
    bodies.begin(this);
  }

  readonly grow = (chunk: Buffer): void => {
    if (++this.#count > bodyChunks) return this.giveUp(tooLarge('comes in more', 'chunks', bodyChunks, this.#count));
    this.#chunks.add(chunk);
    this.#bodies.grow(this, chunk.length);
    if (this.held <= requestBody) return this.#bodies.makeRoom(this);
    this.#stop();
    return this.#hand(this.#chunks.whole);
  };

  end(): void {
    this.#bodies.end(this);
    if (this.#isOver) return;
    const { whole } = this.#chunks;
    const excess = excessOfBody(whole);
    if (excess === null) this.#hand(whole);
    else this.fail(excess);
  }

  close(): void {
    // Every request is closed, and creating an error costs more than everything else here.
    if (this.#bodies.end(this)) this.fail(new Error('The client has left.'));
  }

  giveUp(error: Error): void {
    this.#stop();
    // The connection lingers, and would keep the chunks in memory.
    this.#chunks.clear();
    this.fail(error);
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#taker.fail(error);
  }

  #stop(): void {
    this.#bodies.end(this);
    // The rest is read and dropped: unread data would reset the connection before the response is read.
    this.#req.off('data', this.grow).resume();
    closeWhenResponded(this.#req, this.#res);
  }

  #hand(body: Buffer): void {
    this.#isOver = true;
    try {
      this.#taker.take(body);
    } catch (error) {
      this.#taker.fail(error);
    }
  }
}
