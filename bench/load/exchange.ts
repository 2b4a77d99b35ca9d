import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { Pool, type Dispatcher } from 'undici';

/** A request to a server. */
export interface Asked {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly body: string | null;
}

/** The content codings that responses are asked for in. */
export type Coding = 'gzip' | 'zstd';

const decode: Readonly<Record<Coding, (body: Buffer) => Buffer>> = { gzip: gunzipSync, zstd: zstdDecompressSync };

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
  readonly #coding: Coding | null;
  #status = 0;
  #bytes = 0;

  constructor(settle: Settle, fail: (error: Error) => void, keep: Buffer[] | null, coding: Coding | null) {
    this.#settle = settle;
    this.#fail = fail;
    this.#keep = keep;
    this.#coding = coding;
  }

  onRequestStart(): void {}

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    const coding = headers['content-encoding'] ?? null;
    if (coding !== this.#coding)
      controller.abort(new Error(`a response has the coding ${coding}, not ${this.#coding}`));
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

/** Who sends requests, and what for. */
export interface ClientOptions {
  /** Each has one request at a time. */
  readonly connections: number;
  /** Callers have keys of their own, taken in turn. */
  readonly keys: number;
  /** The coding in which each response must come; absent: none. */
  readonly coding?: Coding | undefined;
}

/** A client of a server. */
export class Client {
  readonly #pool: Pool;
  readonly #headers: readonly Readonly<Record<string, string>>[];
  readonly #coding: Coding | null;
  #turn = 0;

  constructor(origin: string, { connections, keys, coding }: ClientOptions) {
    this.#pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
    this.#coding = coding ?? null;
    this.#headers = Array.from({ length: keys }, (_, index) => ({
      authorization: `Bearer bench-key${index === 0 ? '' : `-${index}`}`,
      'content-type': 'application/json',
      accept: 'application/json',
      ...(coding !== undefined && { 'accept-encoding': coding }),
    }));
  }

  /** Sends a request; the time counts from here, waiting for a free connection included. */
  send(asked: Asked, keep: Buffer[] | null = null): Promise<Told> {
    const headers = this.#headers[this.#turn++ % this.#headers.length] ?? {};
    return new Promise((resolve, reject) => {
      this.#pool.dispatch({ ...asked, headers }, new Ear(resolve, reject, keep, this.#coding));
    });
  }

  /** Sends a request and returns the body of its response, decoded, and how many bytes were sent. It must have status 200. */
  async measure(asked: Asked): Promise<{ readonly body: Buffer; readonly bytes: number }> {
    const chunks: Buffer[] = [];
    const { status, bytes } = await this.send(asked, chunks);
    const sent = Buffer.concat(chunks);
    const body = this.#coding === null ? sent : decode[this.#coding](sent);
    if (status !== 200) throw new Error(`${asked.path} answered ${status}: ${body.toString().slice(0, 1_000)}`);
    return { body, bytes };
  }

  /** Sends a request and returns the body of its response, which must have status 200. */
  async read(asked: Asked): Promise<Buffer> {
    return (await this.measure(asked)).body;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
