import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { queries } from './queries.ts';

// The least that a gateway in Node can cost: the same upstream calls, their bytes handed on as they come, and no GraphQL at all.
const { origin, pathname: root } = new URL(process.env['UPSTREAM_BASE_URL'] ?? '');
const agent = new Agent();
const callsOf = new Map(queries.map(({ name, calls }) => [`/${name}`, calls]));

function call(path: string, authorization: string, handler: Dispatcher.DispatchHandler): void {
  const headers = { authorization, accept: 'application/json' };
  agent.dispatch({ origin, path: root + path, method: 'GET', headers }, handler);
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

function answer(req: IncomingMessage, res: ServerResponse): void {
  const { authorization = '' } = req.headers;
  const paths = callsOf.get(req.url ?? '') ?? [];
  const pipe = new Pipe(res, paths.length);
  for (const path of paths) call(path, authorization, new PipedCall(pipe));
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    Buffer.concat(chunks);
    answer(req, res);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`Floor listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
