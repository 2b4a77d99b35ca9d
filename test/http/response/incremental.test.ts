import { piecesPerResponse } from '../../../src/http/graphql-server.ts';
import { describe, expect, test } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import {
  hang,
  HeldReplies,
  pageReply,
  watched,
  type Reply,
  type ScriptedUpstream,
} from '../../support/scripted-upstream.ts';

const query = `{
  missions { nodes { id } }
  ... @defer(label: "report") { chargesBreakdown(startDate: "2026-10-01") { userId results(first: 1) { nodes { tn } } } }
}`;
const inPieces = { accept: 'multipart/mixed' };
const good = {
  data: records.chargesBreakdownRecord({ user_id: 'u', results: [records.chargesBreakdownResultRecord({ tn: '1' })] }),
};

/** Responds with lists at once, and to reports with this. */
function scriptReports(upstream: ScriptedUpstream, report: Reply): void {
  upstream.script((request) =>
    request.path === '/charges_breakdown' ? report : pageReply([records.missionRecord({ mission_id: 'm' })], request),
  );
}

/** The same, and holds reports back until they are released. */
function holdReports(upstream: ScriptedUpstream): HeldReplies {
  const held = new HeldReplies();
  scriptReports(upstream, held.reply);
  return held;
}

/** The pieces of a multipart response, as they come. */
async function* partsOf({ body }: Response): AsyncGenerator<any> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    // The boundary is a hyphen, after two others.
    const pieces = text.split('---');
    text = pieces.pop() ?? '';
    for (const piece of pieces) {
      const json = /\r\n\r\n(\{[^]*\})/.exec(piece)?.[1];
      if (json !== undefined) yield JSON.parse(json);
    }
  }
}

describe('what is deferred', () => {
  // graphql/graphql-js#4841, facebook/relay#5083
  const f = 'fragment F on Query { missions { totalCount } }';
  test.for<[document: string, parts: readonly string[]]>([
    [
      `{ ...@defer(label: "x") { ...F ipConnections { totalCount } } ...F } ${f}`,
      ['missions', 'x missions ipConnections'],
    ],
    [`{ ...F ...@defer(label: "x") { ...F } } ${f}`, ['missions', 'x missions']],
    [`{ ...@defer(label: "x") { ...F } ...@defer(label: "y") { ...F } } ${f}`, ['', 'x missions', 'y missions']],
    [`{ ...G @defer(label: "x") ...F } fragment G on Query { ...F } ${f}`, ['missions', 'x missions']],
  ])('holds all its fragments, whatever others have: %s', async ([document, expected], { gateway, upstream }) => {
    scriptReports(upstream, { json: good });
    const parts: string[] = [];
    for await (const { data, incremental = [] } of partsOf(await gateway.post({ query: document }, inPieces))) {
      if (data != null) parts.push(Object.keys(data).join(' '));
      for (const piece of incremental) parts.push([piece.label, ...Object.keys(piece.data)].join(' '));
    }
    expect(parts).toEqual(expected);
  });

  test('comes after the rest, which does not wait for it', async ({ gateway, upstream }) => {
    const reports = holdReports(upstream);
    const response = await gateway.post({ query }, inPieces);
    expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; deferSpec=20220824');
    const parts = partsOf(response);
    expect((await parts.next()).value).toEqual({ data: { missions: { nodes: [{ id: 'm' }] } }, hasNext: true });
    reports.release(200, good);
    const data = { chargesBreakdown: { userId: 'u', results: { nodes: [{ tn: '1' }] } } };
    expect(await Array.fromAsync(parts)).toMatchObject([{ incremental: [{ data, path: [], label: 'report' }] }]);
  });

  test('reports its failure as an error with the request id', async ({ gateway, upstream }) => {
    const reports = holdReports(upstream);
    const parts = partsOf(await gateway.post({ query }, { ...inPieces, 'x-request-id': 'id-1' }));
    await parts.next();
    reports.release(403, { errors: [{ code: '10010', title: 'Authorization failed', detail: 'test-key may not' }] });
    const rest = await Array.fromAsync(parts);
    const error = { path: ['chargesBreakdown'], extensions: { code: 'FORBIDDEN', requestId: 'id-1' } };
    expect(rest).toMatchObject([{ incremental: [{ errors: [error] }] }]);
    expect(JSON.stringify(rest)).not.toContain('test-key');
  });

  test('brings with its last piece what is told of the whole', async ({ startWith, upstream }) => {
    const gateway = await startWith({ EXPLAIN: 'true' });
    const reports = holdReports(upstream);
    const several = query.replace('nodes { id }', 'nodes { id ... @defer { name } }');
    const headers = { ...inPieces, 'x-explain': '1', 'x-cost': '1' };
    const parts = partsOf(await gateway.post({ query: several }, headers));
    expect((await parts.next()).value).not.toHaveProperty('extensions');
    reports.release(200, good);
    const rest = await Array.fromAsync(parts);
    const last = rest.pop() as { hasNext: boolean; incremental?: object[]; extensions: object };
    expect(last.hasNext).toBe(false);
    expect(last.extensions).toMatchObject({
      cost: { upstreamCalls: 2 },
      rateLimit: null,
      explain: [{ operation: 'GET /ai/missions' }, { operation: 'GET /charges_breakdown', status: 200 }],
    });
    for (const part of [...rest, ...(last.incremental ?? [])]) expect(part).not.toHaveProperty('extensions');
  });

  test('ends its upstream call when the client leaves', async ({ gateway, upstream }) => {
    const { reply, left } = watched(hang);
    scriptReports(upstream, reply);
    const reader = (await gateway.post({ query }, inPieces)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await left;
  });
});

test.for([
  ['text/event-stream', /^:\n\nevent: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/],
  ['multipart/mixed', /^\r\n---\r\nContent-Type: .*\r\nContent-Length: 54\r\n\r\n(.*)\r\n-----\r\n$/],
] as const)('a whole answer is the one piece for who takes %s alone', async ([accept, form], { gateway, upstream }) => {
  // Free-form values are written in another way than others.
  upstream.script((request) => pageReply([records.missionRecord({ metadata: { a: 1 } })], request));
  const response = await gateway.post({ query: '{ missions { nodes { metadata } } }' }, { accept });
  expect(form.exec(await response.text())?.[1]).toBe('{"data":{"missions":{"nodes":[{"metadata":{"a":1}}]}}}');
});

const most = `a: webhookDeliveries(first: ${piecesPerResponse}) { nodes { ... @defer { id } } }`;

test.for<[when: string, document: string, isWhole: boolean]>([
  ['unless it has as many pieces as may be', `{ ${most} }`, false],
  ['where it would have one more', `{ ${most} ... @defer { __typename } }`, true],
  ['where nobody knows how many rows there are', '{ __schema { types { ... @defer { name } } } }', true],
  ['where a condition is null', 'query ($if: Boolean = null) { ... @defer(if: $if) { __typename } }', true],
  ['where a list within a row is', '{ webhookDeliveries { nodes { attempts { ... @defer { status } } } } }', true],
])('a response comes whole %s', async ([, document, isWhole], { gateway, upstream }) => {
  upstream.script((request) => pageReply([records.webhookDeliveryRecord()], request));
  const parts = await Array.fromAsync(partsOf(await gateway.post({ query: document }, inPieces)));
  expect(parts[0].data).toBeTruthy();
  expect(parts.length > 1).toBe(!isWhole);
});
