import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Agent, type Dispatcher } from 'undici';
import type { Coding } from './load/exchange.ts';
import { floorPaths } from './floor-paths.ts';

// The least that a gateway in Node can cost: the same upstream calls, their bytes handed on, and no GraphQL at all. They
// are handed on once they are whole, as whoever reads or checks a body must, or with PIPING=true as they come.
const { origin, pathname: root } = new URL(process.env['UPSTREAM_BASE_URL'] ?? '');
const agent = new Agent();

class Collector implements Dispatcher.DispatchHandler {
  readonly #chunks: Buffer[] = [];
  readonly #resolve: (body: Buffer) => void;
  readonly #reject: (error: Error) => void;

  constructor(resolve: (body: Buffer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(): void {}

  onResponseStart(): void {}

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    this.#resolve(this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

function call(path: string, authorization: string, handler: Dispatcher.DispatchHandler): void {
  const headers = { authorization, accept: 'application/json' };
  agent.dispatch({ origin, path: root + path, method: 'GET', headers }, handler);
}

function ask(path: string, authorization: string): Promise<Buffer> {
  return new Promise((resolve, reject) => call(path, authorization, new Collector(resolve, reject)));
}

/** Hands on the bytes of some calls as they come, once all have told their lengths. */
class Pipe {
  readonly #res: ServerResponse;
  readonly #early: Buffer[] = [];
  #unheard: number;
  #unended: number;
  #length = 0;

  constructor(res: ServerResponse, calls: number) {
    this.#res = res;
    this.#unheard = this.#unended = calls;
  }

  hear(length: number): void {
    this.#length += length;
    this.#unheard--;
    if (this.#unheard > 0) return;
    this.#res.writeHead(200, { 'content-type': 'application/json', 'content-length': this.#length });
    for (const chunk of this.#early) this.#res.write(chunk);
  }

  pass(chunk: Buffer): void {
    if (this.#unheard > 0) this.#early.push(chunk);
    else this.#res.write(chunk);
  }

  end(): void {
    this.#unended--;
    if (this.#unended === 0) this.#res.end();
  }

  fail(error: Error): void {
    this.#res.destroy(error);
  }
}

/** One call of a pipe. */
class PipedCall implements Dispatcher.DispatchHandler {
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    _status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#pipe.hear(Number(headers['content-length']));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#pipe.pass(chunk);
  }

  onResponseEnd(): void {
    this.#pipe.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#pipe.fail(error);
  }
}

const isPiping = process.env['PIPING'] === 'true';

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { authorization = '' } = req.headers;
  const paths = floorPaths.get(req.url ?? '') ?? [];
  const coding = req.headers['accept-encoding'];
  if (isPiping && coding === undefined) {
    const pipe = new Pipe(res, paths.length);
    for (const path of paths) call(path, authorization, new PipedCall(pipe));
    return;
  }
  const bodies = await Promise.all(paths.map((path) => ask(path, authorization)));
  const [first] = bodies;
  const body = bodies.length === 1 && first !== undefined ? first : Buffer.concat(bodies);
  if (coding !== undefined) return sendCompressed(res, body, coding as Coding);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  res.end(body);
}

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip);
const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);
// The level that Switchboard has.
const compress: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  gzip: (body) => gzip(body, { level: 1 }),
  zstd: (body) => zstd(body, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } }),
};

async function sendCompressed(res: ServerResponse, body: Buffer, coding: Coding): Promise<void> {
  const bytes = await compress[coding](body);
  res.writeHead(200, {
    'content-type': 'application/json',
    'content-encoding': coding,
    'content-length': bytes.length,
  });
  res.end(bytes);
}

async function stream(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { searchParams } = new URL(req.url ?? '', 'http://floor.invalid');
  const path = `${root}/charges_breakdown?format=csv&start_date=${searchParams.get('startDate')}&end_date=${searchParams.get('endDate')}`;
  const headers = { authorization: req.headers.authorization ?? '', accept: 'text/csv' };
  const { body } = await agent.request({ origin, path, method: 'GET', headers });
  res.writeHead(200, { 'content-type': 'text/csv' });
  body.pipe(res);
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    Buffer.concat(chunks);
    const work = req.method === 'GET' ? stream : answer;
    work(req, res).catch((error: unknown) => res.destroy(error as Error));
  });
});

// The same in several threads, which share the port as Switchboard's workers do.
const count = Number(process.env['WORKERS'] ?? 1);

function listen(port: number, reusePort: boolean): Promise<number> {
  return new Promise((resolve) => {
    server.listen({ port, host: '127.0.0.1', reusePort }, () => resolve((server.address() as AddressInfo).port));
  });
}

if (isMainThread) {
  const port = await listen(0, count > 1);
  for (let worker = 1; worker < count; worker++)
    await once(new Worker(new URL(import.meta.url), { workerData: port }), 'message');
  console.log(`Floor listens on http://127.0.0.1:${port}`);
} else {
  await listen(workerData as number, true);
  // The rule is for windows of browsers.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage('listening');
}
