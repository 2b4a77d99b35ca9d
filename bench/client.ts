import { Pool, type Dispatcher } from 'undici';

/** A request to a contender, by POST. */
export interface Asked {
  readonly path: string;
  readonly body: string;
}

/** The response of a server: its status, and the bytes of its body. */
export interface Told {
  readonly status: number;
  readonly bytes: number;
}

/** Reads a response and keeps only its size, unless its body is wanted. */
class Ear implements Dispatcher.DispatchHandler {
  readonly #settle: (told: Told) => void;
  readonly #fail: (error: Error) => void;
  readonly #keep: Buffer[] | null;
  #status = 0;
  #bytes = 0;

  constructor(settle: (told: Told) => void, fail: (error: Error) => void, keep: Buffer[] | null) {
    this.#settle = settle;
    this.#fail = fail;
    this.#keep = keep;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#keep?.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle({ status: this.#status, bytes: this.#bytes });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }
}

// Requests under way at once, and callers, who have a key each: no two requests under way are alike.
const connections = 16;
const callers = 64;

const headers = Array.from({ length: callers }, (_, index) => ({
  authorization: `Bearer bench-key-${index}`,
  'content-type': 'application/json',
  accept: 'application/json',
}));

/** The callers of one server. */
export class Client {
  readonly #pool: Pool;
  #turn = 0;

  constructor(origin: string) {
    this.#pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  }

  #send(asked: Asked, keep: Buffer[] | null = null): Promise<Told> {
    const turn = this.#turn++ % callers;
    return new Promise((resolve, reject) => {
      this.#pool.dispatch({ ...asked, method: 'POST', headers: headers[turn] ?? {} }, new Ear(resolve, reject, keep));
    });
  }

  /** Sends a request and returns the body of its response. Throws unless its status is 200. */
  async read(asked: Asked): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const { status } = await this.#send(asked, chunks);
    const body = Buffer.concat(chunks);
    if (status !== 200) throw new Error(`${asked.path} answered ${status}: ${body.toString().slice(0, 1_000)}`);
    return body;
  }

  /**
   * Keeps requests under way for so long, or until so many have been answered; returns how many have. Throws where a response has not
   * the length of the first, give or take a percent.
   */
  async saturate(asked: Asked, bytes: number, { seconds = Infinity, most = Infinity }): Promise<number> {
    const until = performance.now() + seconds * 1_000;
    let sent = 0;
    const work = async (): Promise<void> => {
      while (sent < most && performance.now() < until) {
        sent++;
        const told = await this.#send(asked);
        if (told.status === 200 && Math.abs(told.bytes - bytes) <= bytes / 100) continue;
        throw new Error(`under load ${bytes} bytes became status ${told.status} with ${told.bytes} bytes`);
      }
    };
    await Promise.all(Array.from({ length: connections }, work));
    return sent;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
