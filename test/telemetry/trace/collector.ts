import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

interface Pair {
  readonly key: string;
  readonly value: Value;
}

/** A span as the collector got it, in OTLP's JSON. */
export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** Nanoseconds, in digits. */
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 where it failed. */
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A collector of traces on loopback. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ExportedSpan[];
  /** The bodies as they came. */
  readonly bodies: readonly Buffer[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** How it responds from now on; 200 at first. */
  respond(act: (res: ServerResponse) => void): void;
  close(): Promise<void>;
}

const valueOf = ({ stringValue, intValue, boolValue, arrayValue }: Value): unknown =>
  stringValue ?? intValue ?? boolValue ?? arrayValue?.values.map(valueOf);
const recordOf = (pairs: readonly Pair[] = []) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));

function spansIn(body: Buffer): readonly ExportedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString('utf8'));
  // oxlint-disable-next-line typescript/no-explicit-any
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // oxlint-disable-next-line typescript/no-explicit-any
    scopeSpans.flatMap(({ spans }: any) =>
      // oxlint-disable-next-line typescript/no-explicit-any
      spans.map((span: any) => ({
        links: [],
        ...span,
        attributes: recordOf(span.attributes),
        resource: recordOf(resource.attributes),
      })),
    ),
  );
}

/** Starts a collector. */
export async function startCollector(): Promise<Collector> {
  const spans: ExportedSpan[] = [];
  const bodies: Buffer[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  let act = (res: ServerResponse): void => void res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    bodies.push(body);
    requests.push({ path: req.url ?? '', headers: req.headers });
    if (req.headers['content-type'] === 'application/json') spans.push(...spansIn(body));
    act(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    requests,
    respond(next) {
      act = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
