import { request as send } from 'node:http';

/** A request to the letter. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Whether the body is sent without telling its length. */
  readonly isChunked?: boolean;
}

/** A response, character for character: all of its headers, each as `name: value`, sorted. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly text: string;
}

/** Sends a request over a connection of its own; leaves nothing out of the response but its date. */
export function ask(
  url: string,
  { method = 'POST', path = '/graphql', headers = {}, body, isChunked = false }: RawRequest,
): Promise<RawAnswer> {
  const length = body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const asking = send(url, { path, method, headers: { ...length, ...headers }, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', reject);
      res.once('end', () => {
        const names = Object.entries(res.headersDistinct).filter(([name]) => name !== 'date');
        resolve({
          status: res.statusCode ?? 0,
          headers: names.flatMap(([name, values = []]) => values.map((value) => `${name}: ${value}`)).sort(),
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    asking.once('error', reject);
    if (isChunked) asking.write(Buffer.from(body ?? '').subarray(0, 10));
    asking.end(isChunked ? Buffer.from(body ?? '').subarray(10) : body);
  });
}
