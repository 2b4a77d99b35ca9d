import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { healthyReply } from '../support/root-fields.ts';
import { startScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { authorization, post, type ExchangeCase } from './exchange-case.ts';
import { body } from './exchange-cases/body.ts';
import { head } from './exchange-cases/head.ts';
import { operation } from './exchange-cases/operation.ts';
import { url as byUrl } from './exchange-cases/url.ts';
import { ask, type RawAnswer } from '../support/raw-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-both-ways-'));
writeFileSync(
  join(folder, 'Missions.graphql'),
  'query Missions($n: Int) { missions(first: $n) { nodes { id name } } }',
);
afterAll(() => rmSync(folder, { recursive: true }));

const persisted: readonly ExchangeCase[] = [
  { documentId: 'Missions' },
  { id: 'Missions', variables: { n: 2 } },
  { doc_id: 'Missions', operationName: 'Missions' },
  { id: 'Missions', operationName: 'Nobody' },
  { id: 'nobody' },
  { id: 7 },
  { id: 'Missions', query: '{ __typename }' },
  { query: '{ missions { totalCount } }' },
  // A client cannot send the placeholder that Yoga's plugin puts in place of a document.
  { query: '__PERSISTED_OPERATION_Missions__' },
  { query: '__PERSISTED_OPERATION_Missions__', variables: { n: 2 } },
].flatMap((members: Readonly<Record<string, unknown>>) => {
  const texts = Object.entries(members).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const path = `/graphql?${new URLSearchParams(Object.fromEntries(texts)).toString()}`;
  const name = JSON.stringify(members);
  return [
    { name, request: post(members) },
    { name: `${name} by GET`, request: { method: 'GET', path, headers: { authorization } } },
  ];
});

const exchangeCases: readonly ExchangeCase[] = [...head, ...body, ...operation, ...byUrl];

const settings: readonly (readonly [
  name: string,
  env: Readonly<Record<string, string>>,
  cases: readonly ExchangeCase[],
])[] = [
  ['by default', {}, exchangeCases],
  // Origins are a matter of the head alone.
  ['open to other origins', { CORS_ORIGINS: 'https://app.example.com' }, head],
  ['with secrets, and little room', { EXPOSE_SECRETS: 'true', LIMIT_COST: '30' }, exchangeCases],
  ['with persisted operations', { PERSISTED_OPERATIONS: folder }, persisted],
  ['with persisted operations alone', { PERSISTED_OPERATIONS: folder, PERSISTED_OPERATIONS_ONLY: 'true' }, persisted],
];

describe.for(settings)('a gateway %s', ([, env, cases]) => {
  let upstream: ScriptedUpstream;
  let plain: Gateway;
  let gateway: Gateway;

  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    const common = { UPSTREAM_BREAKER_OPEN_MS: '1', ...env };
    plain = await startGateway(upstream.baseUrl, { ...common, COMPILE_OPERATIONS: 'false' });
    gateway = await startGateway(upstream.baseUrl, common);
  });

  afterAll(async () => {
    await plain.close();
    await gateway.close();
    await upstream.close();
  });

  /** The outcome of a request: the response, and the upstream calls. */
  async function exchange({ url }: Gateway, { request }: ExchangeCase, id: string) {
    upstream.requests.length = 0;
    const answer = await ask(url, { ...request, headers: { 'x-request-id': id, ...request.headers } });
    const calls = upstream.requests.map(({ path, rawQuery, headers }) =>
      [path, rawQuery, headers.authorization, headers['x-request-id'] === idOf(answer)].join(' '),
    );
    return { ...withoutMadeId(answer, id), calls: calls.sort() };
  }

  test.for(cases.map((one, index) => [one.name, one, `case-${index}`] as const))(
    'responds to a known query as to an unknown one, and as Yoga does: %s',
    async ([, one, id]) => {
      upstream.script(one.reply ?? healthyReply);
      const expected = await exchange(plain, one, id);
      expect(await exchange(gateway, one, id)).toEqual(expected);
      // By now the fast path knows the query; this asks for another one between.
      const accept = one.request.headers?.['accept'];
      const headers = accept === undefined ? {} : { accept };
      upstream.script(healthyReply);
      await exchange(gateway, { name: '', request: post({ query: '{ __typename }' }, headers) }, 'between');
      upstream.script(one.reply ?? healthyReply);
      expect(await exchange(gateway, one, id)).toEqual(expected);
    },
  );

  test('logs the same lines on both paths', async () => {
    const linesOf = ({ log }: Gateway): string[] =>
      log
        // The first broken promise of an hour is logged, and no second one.
        .filter((line) => /"requestId":"case-/.test(line) && !line.includes('contract violation'))
        .map((line) => line.replace(/"time":"[^"]*",|"durationMs":[\d.]+,?/g, ''));
    await expect.poll(() => linesOf(gateway).length).toBe(2 * linesOf(plain).length);
    expect(new Set(linesOf(gateway))).toEqual(new Set(linesOf(plain)));
  });

  test('executes compiled plans, unless COMPILE_OPERATIONS is false', async () => {
    expect(await executions(plain)).toMatchObject({ planned: 0, general: expect.any(Number) });
    const { planned = 0, general = 0 } = await executions(gateway);
    // With persisted operations alone nothing but those is executed.
    expect(planned).toBeGreaterThan(general);
  });
});

/** How many operations each path executed (interface: "Process", `/metrics`). */
async function executions(gateway: Gateway): Promise<Readonly<Record<string, number>>> {
  const text = await (await gateway.fetch('/metrics')).text();
  const of = (way: string): number =>
    Number(new RegExp(`^switchboard_operations_total\\{way="${way}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { planned: of('compiled') + of('bytes'), general: of('general') };
}

function idOf({ headers }: RawAnswer): string | undefined {
  return headers.find((line) => line.startsWith('x-request-id: '))?.slice('x-request-id: '.length);
}

/** A response without its request id, where the gateway made that. */
function withoutMadeId(answer: RawAnswer, sent: string): RawAnswer {
  const id = idOf(answer);
  if (id === undefined || id === sent) return answer;
  return {
    ...answer,
    headers: answer.headers.map((line) => line.replace(id, 'made')),
    text: answer.text.replaceAll(id, 'made'),
  };
}
