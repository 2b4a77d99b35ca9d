import { Pool, type Dispatcher } from 'undici';

/** A request to a server. */
export interface Asked {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly body: string | null;
}

/** The response of a server. */
export interface Told {
  readonly status: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

type Settle = (told: Told) => void;

/** Reads a response and keeps only its size, unless its body is wanted. */
class Ear implements Dispatcher.DispatchHandler {
  readonly #started = performance.now();
  readonly #settle: Settle;
  readonly #fail: (error: Error) => void;
  readonly #keep: Buffer[] | null;
  #status = 0;
  #bytes = 0;

  constructor(settle: Settle, fail: (error: Error) => void, keep: Buffer[] | null) {
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
    this.#settle({ status: this.#status, bytes: this.#bytes, milliseconds: performance.now() - this.#started });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }
}

/** A client with so many connections and one request at a time on each; callers have keys of their own, taken in turn. */
export class Client {
  readonly #pool: Pool;
  readonly #headers: readonly Readonly<Record<string, string>>[];
  #turn = 0;

  constructor(origin: string, connections: number, keys: number) {
    this.#pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
    this.#headers = Array.from({ length: keys }, (_, index) => ({
      authorization: `Bearer bench-key${index === 0 ? '' : `-${index}`}`,
      'content-type': 'application/json',
      accept: 'application/json',
    }));
  }

  /** Sends a request; the time counts from here, waiting for a free connection included. */
  send(asked: Asked, keep: Buffer[] | null = null): Promise<Told> {
    const headers = this.#headers[this.#turn++ % this.#headers.length] ?? {};
    return new Promise((resolve, reject) => {
      this.#pool.dispatch({ ...asked, headers }, new Ear(resolve, reject, keep));
    });
  }

  /** Sends a request and returns the body of its response, which must have status 200. */
  async read(asked: Asked): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const { status } = await this.send(asked, chunks);
    const body = Buffer.concat(chunks);
    if (status !== 200) throw new Error(`${asked.path} answered ${status}: ${body.toString().slice(0, 1_000)}`);
    return body;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
