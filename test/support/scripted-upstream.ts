import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived at the upstream. */
export interface SeenRequest {
  /** Below the version-2 root, e.g. `/ip_connections`. */
  readonly path: string;
  /** As it stood on the wire, without the question mark. */
  readonly rawQuery: string;
  /** Decoded, by parameter name. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

/** What the upstream does: an answer of JSON or of any text, or anything at all with the response itself. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly act?: (res: ServerResponse) => void;
}

export type Script = (request: SeenRequest) => Reply | Promise<Reply>;

export interface ScriptedUpstream {
  /** The version-2 root. */
  readonly baseUrl: string;
  readonly requests: SeenRequest[];
  /** Sets what the upstream answers from now on. */
  script(script: Script): void;
  close(): Promise<void>;
}

/** An upstream on loopback that answers as it is told and remembers what it was asked. Unscripted, it answers 500. */
export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  let current: Script = () => ({ status: 500, text: 'unscripted' });
  const requests: SeenRequest[] = [];
  const server = createServer(async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://upstream.invalid');
    const seen = {
      path: url.pathname.replace(/^\/v2/, ''),
      rawQuery: url.search.slice(1),
      query: Object.fromEntries(url.searchParams),
      headers: req.headers,
    };
    requests.push(seen);
    const { status = 200, headers = {}, json, text, act } = await current(seen);
    if (act !== undefined) return act(res);
    res.writeHead(status, { 'content-type': json === undefined ? 'text/plain' : 'application/json', ...headers });
    return res.end(json === undefined ? text : JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v2`,
    requests,
    script(script) {
      current = script;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A reply with one page of `rows`, cut by the page parameters of the request as the upstream would. */
export function pageReply(rows: readonly unknown[], { query }: SeenRequest, limit = 250): Reply {
  const size = Math.min(Number(query['page[size]'] ?? 20), limit);
  const number = Number(query['page[number]'] ?? 1);
  return {
    json: {
      data: rows.slice((number - 1) * size, number * size),
      meta: {
        total_results: rows.length,
        total_pages: Math.ceil(rows.length / size),
        page_number: number,
        page_size: size,
      },
    },
  };
}
