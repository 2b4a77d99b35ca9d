import { sdlOf } from '../federation/supergraph.ts';
import { askGraphql } from '../support/gateway.ts';
import { expect, spanNamed, test, type ExportedSpan } from '../telemetry/trace/traced-gateway.ts';
import { startHiveGateway } from './hive-gateway.ts';

const query = 'query Missions { missions { totalCount } }';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const sampled = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'a=1,b=2' };
const route = 'POST /graphql';
const call = 'upstream GET /ai/missions';
const attempt = 'GET /ai/missions';

test("Hive Gateway's request to us is the parent of ours, down to the call of the API, in the client's trace", async ({
  collector,
  traced,
  upstream,
}) => {
  const gateway = await traced();
  const subgraphs = [{ name: 'switchboard', sdl: await sdlOf(gateway), url: `${gateway.url}/graphql` }];
  await using hive = await startHiveGateway(subgraphs, { flags: ['--opentelemetry', `${collector.url}/v1/traces`] });
  const { data, errors } = await askGraphql(hive.url, query, { headers: sampled });
  expect({ data, errors }).toEqual({ data: { missions: { totalCount: 1 } }, errors: [] });
  // The first span of both ends last.
  const spans = () => collector.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => spans().filter(({ kind }) => kind === 2).length).toBe(2);
  const isOurs = ({ resource }: ExportedSpan): boolean => resource['service.name'] === 'switchboard';
  const [ours, theirs] = [spans().filter(isOurs), spans().filter((span) => !isOurs(span))];
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
  const lines = gateway.log.map((line) => JSON.parse(line));
  expect(lines.filter((line) => line.traceId === traceId)).toMatchObject([
    { msg: 'request', operationName: 'Missions', spanId: server?.spanId },
  ]);
});
