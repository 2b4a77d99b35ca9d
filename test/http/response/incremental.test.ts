import { describe } from 'vitest';
import { piecesPerResponse } from '../../../src/http/graphql-server.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import { hang, HeldReplies, pageReply, watched, type ScriptedUpstream } from '../../support/scripted-upstream.ts';

const query = `{
  missions { nodes { id } }
  ... @defer(label: "report") { chargesBreakdown(startDate: "2026-10-01") { userId results(first: 1) { nodes { tn } } } }
}`;

/** Responds with lists at once, and holds reports back until they are released. */
function holdReports(upstream: ScriptedUpstream): HeldReplies {
  const held = new HeldReplies();
  upstream.script((request) =>
    request.path === '/charges_breakdown'
      ? held.reply
      : pageReply([records.missionRecord({ mission_id: 'm' })], request),
  );
  return held;
}

function ask(gateway: Gateway, accept: string, headers: Readonly<Record<string, string>> = {}, document = query) {
  return gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer a-key', accept, ...headers },
    body: JSON.stringify({ query: document }),
  });
}

/** The pieces of a multipart response, as they come. */
async function* partsOf({ body }: Response): AsyncGenerator {
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

const good = {
  data: records.chargesBreakdownRecord({ user_id: 'u', results: [records.chargesBreakdownResultRecord({ tn: '1' })] }),
};

/** Forms of pieces: the type of the response, and its status. */
const forms: readonly (readonly [accept: string, type: string, status?: number])[] = [
  ['multipart/mixed;incrementalSpec=v0.2, application/json', 'application/json'],
  ['multipart/mixed;incrementalSpec=v0.1, multipart/mixed;deferSpec=20220824, application/json', 'multipart/mixed'],
  ['multipart/mixed;incrementalSpec=v0.2, text/event-stream', 'text/event-stream'],
  ['multipart/mixed;incrementalSpec=v0.2', 'application/json', 406],
  ['multipart/mixed;deferSpec=20220824, application/json', 'multipart/mixed'],
  ['multipart/mixed; boundary=graphql; deferSpec="20220824"', 'multipart/mixed'],
];

test.for(forms)('answers %s by %s', async ([accept, type, status = 200], { gateway, upstream }) => {
  upstream.script((request) =>
    request.path === '/charges_breakdown'
      ? { json: good }
      : pageReply([records.missionRecord({ mission_id: 'm' })], request),
  );
  const inUrl = `/graphql?${new URLSearchParams({ query })}`;
  for (const response of [
    await ask(gateway, accept),
    await gateway.fetch(inUrl, { headers: { accept, authorization: 'Bearer a-key' } }),
  ]) {
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([status, type]);
    const text = await response.text();
    if (status !== 200) expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    else expect(text).toContain('"tn":"1"');
    expect(text.includes('"incremental"')).toBe(status === 200 && !type.startsWith('application/'));
  }
  expect(upstream.requests).toHaveLength(status === 200 ? 4 : 0);
});

describe('what is deferred', () => {
  test('comes after the rest, which does not wait for it', async ({ gateway, upstream }) => {
    const reports = holdReports(upstream);
    const response = await ask(gateway, 'multipart/mixed');
    expect(response.headers.get('content-type')).toMatch(/^multipart\/mixed/);
    const parts = partsOf(response);
    expect((await parts.next()).value).toEqual({ data: { missions: { nodes: [{ id: 'm' }] } }, hasNext: true });
    reports.release(200, good);
    const rest = [];
    for await (const part of parts) rest.push(part);
    expect(rest).toMatchObject([
      {
        incremental: [
          { data: { chargesBreakdown: { userId: 'u', results: { nodes: [{ tn: '1' }] } } }, path: [], label: 'report' },
        ],
      },
    ]);
  });

  test('reports its failure as an error with the request id', async ({ gateway, upstream }) => {
    const reports = holdReports(upstream);
    const response = await ask(gateway, 'multipart/mixed', { 'x-request-id': 'id-1' });
    const parts = partsOf(response);
    await parts.next();
    reports.release(403, { errors: [{ code: '10010', title: 'Authorization failed', detail: 'a-key may not' }] });
    const rest = [];
    for await (const part of parts) rest.push(part);
    const [{ incremental }] = rest as [
      { incremental: readonly { errors: readonly { message: string; extensions: object }[] }[] },
    ];
    expect(incremental[0]?.errors).toMatchObject([
      { path: ['chargesBreakdown'], extensions: { code: 'FORBIDDEN', requestId: 'id-1' } },
    ]);
    expect(JSON.stringify(rest)).not.toContain('a-key');
  });

  test('brings with its last piece what is told of the whole response, its own calls included', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWith({ EXPLAIN: 'true' });
    const reports = holdReports(upstream);
    const several = query.replace('nodes { id }', 'nodes { id ... @defer { name } }');
    const response = await ask(gateway, 'multipart/mixed', { 'x-explain': '1', 'x-cost': '1' }, several);
    const parts = partsOf(response);
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
    upstream.script((request) => (request.path === '/charges_breakdown' ? reply : pageReply([], request)));
    const response = await ask(gateway, 'multipart/mixed');
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await left;
  });
});

test.for([
  ['text/event-stream', /^:\n\nevent: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/],
  ['multipart/mixed', /^\r\n---\r\nContent-Type: .*\r\nContent-Length: 54\r\n\r\n(.*)\r\n-----\r\n$/],
] as const)('a whole answer is the one piece for who takes %s alone', async ([accept, form], { gateway, upstream }) => {
  upstream.script(() => ({
    json: { data: [records.missionRecord({ metadata: { a: 1 } })], meta: { total_results: 1 } },
  }));
  // Free-form values are written in another way than others.
  const text = await (await ask(gateway, accept, {}, '{ missions { nodes { metadata } } }')).text();
  expect(form.exec(text)?.[1]).toBe('{"data":{"missions":{"nodes":[{"metadata":{"a":1}}]}}}');
});

describe('a response comes whole', () => {
  const rows = (fields: string, ...aliases: readonly string[]): string =>
    aliases
      .map((alias) => `${alias}: webhookDeliveries(first: ${piecesPerResponse}) { nodes { ${fields} } }`)
      .join(' ');
  const deferred = '... @defer { id }';
  const cases: readonly (readonly [when: string, document: string, isWhole: boolean])[] = [
    ['unless it has as many pieces as may be', `{ ${rows(deferred, 'a')} }`, false],
    ['where it would have one more', `{ ${rows(deferred, 'a')} ... @defer { __typename } }`, true],
    ['where nobody knows how many rows there are', '{ __schema { types { ... @defer { name } } } }', true],
    [
      'where a list within a row is in pieces',
      '{ webhookDeliveries { nodes { attempts { ... @defer { status } } } } }',
      true,
    ],
  ];

  test.for(cases)('%s', async ([, document, isWhole], { gateway, upstream }) => {
    upstream.script((request) => pageReply([records.webhookDeliveryRecord()], request));
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a-key', accept: 'multipart/mixed' },
      body: JSON.stringify({ query: document }),
    });
    const parts = await Array.fromAsync(partsOf(response));
    expect(parts[0]).toMatchObject({ data: expect.any(Object) });
    expect(parts.slice(1).length > 0).toBe(!isWhole);
  });
});
