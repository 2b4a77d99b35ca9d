import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { expect, test as base, type Gateway } from '../../support/gateway.ts';
import { listenOnLoopback } from '../../support/http.ts';
import type { Json } from '../../support/records.ts';
import { pageReply, startScriptedUpstream, type ScriptedUpstream } from '../../support/scripted-upstream.ts';

export { expect } from '../../support/gateway.ts';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
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
interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ExportedSpan[];
  /** The bodies as they came. */
  readonly bodies: readonly Buffer[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** How it responds from now on; 200 at first. */
  respond(act: (res: ServerResponse) => void): void;
}

const valueOf = ({ stringValue, intValue, boolValue, arrayValue }: Value): unknown =>
  stringValue ?? intValue ?? boolValue ?? arrayValue?.values.map(valueOf);
const recordOf = (pairs: readonly { readonly key: string; readonly value: Value }[] = []) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));

function spansIn(body: Buffer): readonly ExportedSpan[] {
  const read = (resource: Json, span: Json) => ({
    links: [],
    ...span,
    attributes: recordOf(span.attributes),
    resource: recordOf(resource.attributes),
  });
  return JSON.parse(body.toString('utf8')).resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) => spans.map((span: Json) => read(resource, span))),
  );
}

interface Fixtures {
  /** It answers every call with a page of one row, unless it has another script. */
  readonly upstream: ScriptedUpstream;
  readonly collector: Collector;
  /** A gateway that exports to the collector after a moment. */
  readonly traced: (env?: Readonly<Record<string, string>>) => Promise<Gateway>;
}

/** Vitest's `test` with a collector of traces, and gateways that export to it. */
export const test = base.extend<Fixtures>({
  upstream: async ({}, use) => {
    const upstream = await startScriptedUpstream();
    upstream.script((request) => pageReply([1], request));
    await use(upstream);
    await upstream.close();
  },
  collector: async ({}, use) => {
    const spans: ExportedSpan[] = [];
    const bodies: Buffer[] = [];
    const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
    let act = (res: ServerResponse): void => void res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    const server = createServer(async (req, res) => {
      const body = Buffer.concat(await Array.fromAsync<Buffer>(req));
      bodies.push(body);
      requests.push({ path: req.url ?? '', headers: req.headers });
      if (req.headers['content-type'] === 'application/json') spans.push(...spansIn(body));
      act(res);
    });
    const loopback = await listenOnLoopback(server);
    await use({ url: loopback.origin, spans, bodies, requests, respond: (next) => void (act = next) });
    await loopback.close();
  },
  traced: ({ collector, startWith }, use) =>
    use((env = {}) => startWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10', ...env })),
});

/** The spans so far, once there are so many requests among them. */
export async function spansOf({ spans }: Collector, requests = 1): Promise<readonly ExportedSpan[]> {
  await expect.poll(() => spans.filter(({ kind }) => kind === 2).length).toBe(requests);
  return spans;
}

/** The one span with this name. */
export function spanNamed(spans: readonly ExportedSpan[], name: string): ExportedSpan {
  const named = spans.filter((each) => each.name === name);
  expect(named, `${name} among ${spans.map((each) => each.name).join(', ')}`).toHaveLength(1);
  return named[0] as ExportedSpan;
}
