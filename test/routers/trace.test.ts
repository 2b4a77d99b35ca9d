import { notesSdl, startNotesSubgraph } from '../federation/notes-subgraph.ts';
import { ask, sdlOf } from '../federation/supergraph.ts';
import type { Gateway, GraphqlAnswer } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { expect, spanNamed, test as base, type ExportedSpan } from '../telemetry/trace/traced-gateway.ts';
import { startHiveGateway } from './hive-gateway.ts';

interface Supergraph {
  readonly gateway: Gateway;
  /** Sends a query to Hive Gateway. */
  readonly query: (document: string, headers: Readonly<Record<string, string>>) => Promise<GraphqlAnswer>;
  /** The spans of a trace by who exported them, once the first span of both is among them: it ends last. */
  readonly trace: (traceId: string) => Promise<Readonly<Record<'ours' | 'theirs', readonly ExportedSpan[]>>>;
}

const test = base.extend<{ readonly startSupergraph: () => Promise<Supergraph> }>({
  startSupergraph: async ({ collector, traced, upstream }, use) => {
    upstream.script((request) => pageReply([1], request));
    await using cleanups = new AsyncDisposableStack();
    await use(async () => {
      const gateway = await traced();
      const notes = await startNotesSubgraph([]);
      cleanups.defer(() => notes.close());
      const subgraphs = [
        { name: 'switchboard', sdl: await sdlOf(gateway), url: `${gateway.url}/graphql` },
        { name: 'notes', sdl: notesSdl, url: notes.url },
      ];
      const hive = cleanups.use(await startHiveGateway(subgraphs, collector.url));
      return {
        gateway,
        query: (document, headers) => ask(hive.url, document, { headers }),
        async trace(traceId) {
          const spans = () => collector.spans.filter((span) => span.traceId === traceId);
          await expect.poll(() => spans().filter(({ kind }) => kind === 2).length).toBe(2);
          const isOurs = ({ resource }: ExportedSpan): boolean => resource['service.name'] === 'switchboard';
          return { ours: spans().filter(isOurs), theirs: spans().filter((span) => !isOurs(span)) };
        },
      };
    });
  },
});

const query = 'query Missions { missions { totalCount } }';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const sampled = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'a=1,b=2' };
const route = 'POST /graphql';
const call = 'upstream GET /ai/missions';
const attempt = 'GET /ai/missions';

test("Hive Gateway's request to us is the parent of ours, down to the call of the API, in the client's trace", async ({
  startSupergraph,
  upstream,
}) => {
  const supergraph = await startSupergraph();
  const { data, errors } = await supergraph.query(query, sampled);
  expect({ data, errors }).toEqual({ data: { missions: { totalCount: 1 } }, errors: [] });
  const { ours, theirs } = await supergraph.trace(traceId);
  const [server, operation, made, sent] = [route, 'query', call, attempt].map((name) => spanNamed(ours, name));
  expect(ours).toHaveLength(4);
  expect(server?.parentSpanId).toBe(spanNamed(theirs, 'http.fetch').spanId);
  expect(spanNamed(theirs, route).parentSpanId).toBe('b7ad6b7169203331');
  expect(operation).toMatchObject({ parentSpanId: server?.spanId, kind: 1 });
  expect(operation?.attributes).toEqual({ 'graphql.operation.type': 'query', 'graphql.operation.name': 'Missions' });
  expect(made).toMatchObject({ parentSpanId: operation?.spanId, kind: 1 });
  expect(sent).toMatchObject({ parentSpanId: made?.spanId, kind: 3, traceState: 'a=1,b=2' });
  expect(ours.map(({ status }) => status.code ?? 0)).toEqual([0, 0, 0, 0]);
  // Hive's own spans have it.
  expect(JSON.stringify(theirs)).toContain('totalCount');
  expect(JSON.stringify(ours)).not.toContain('totalCount');

  const headers = upstream.requests.map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }));
  expect(headers).toEqual([{ traceparent: `00-${traceId}-${sent?.spanId}-01`, tracestate: 'a=1,b=2' }]);
  const lines = supergraph.gateway.log.map((line) => JSON.parse(line));
  expect(lines.filter((line) => line.traceId === traceId)).toMatchObject([
    { msg: 'request', operationName: 'Missions', spanId: server?.spanId },
  ]);
});
