import { requestBody } from '../../src/bounds.ts';
import type { GraphqlRule } from '../../src/http/run.ts';
import { expect, type Gateway, offFastPath, startGateway, test } from '../support/gateway.ts';
import { directs } from '../support/metrics.ts';
import { healthyReply } from '../support/root-fields.ts';
import { ask as sendRaw } from '../support/http.ts';

const ask = (gateway: Gateway, accept: string) => gateway.query('{ __typename }', { headers: { accept } });

test('a query takes the fast path from the first time on, whatever media types other clients accept', async ({
  gateway,
}) => {
  await ask(gateway, 'application/json');
  await ask(gateway, 'application/json');
  expect(await directs(gateway)).toBe(2);
  for (let index = 0; index < 150; index++) await ask(gateway, `application/json;q=0.${100 + index}`);
  await ask(gateway, 'application/json');
  const before = await directs(gateway);
  for (let index = 0; index < 5; index++) await ask(gateway, 'application/json');
  expect(await directs(gateway)).toBe(before + 5);
});

test('a query takes the fast path in any media type, however many are accepted', async ({ gateway }) => {
  await ask(gateway, 'application/json');
  for (let index = 0; index < 120; index++) {
    await ask(gateway, `application/json;q=0.${100 + index}`);
    const { status, headers } = await ask(gateway, 'application/json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  }
  expect(await directs(gateway)).toBe(241);
});

test('a query takes the fast path with any extensions but the identifier of a document', async ({ gateway }) => {
  const send = async (extensions: unknown) => {
    const before = await directs(gateway);
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer test-key' },
      body: JSON.stringify({ query: '{ __typename }', extensions }),
    });
    return [response.status, (await directs(gateway)) - before, await response.text()];
  };
  await send(undefined);
  const answer = '{"data":{"__typename":"Query"}}';
  for (const extensions of [
    undefined,
    null,
    {},
    { clientLibrary: { name: '@apollo/client', version: '4.3.8' } },
    { a: [] },
  ])
    expect([extensions, ...(await send(extensions))]).toEqual([extensions, 200, 1, answer]);
  expect(await send(offFastPath)).toEqual([200, 0, answer]);
  for (const extensions of [[], 'text', 1, true]) expect((await send(extensions)).slice(0, 2)).toEqual([400, 1]);
});

test('a query takes the fast path in chunks, and a body that grows beyond the limit is refused', async ({
  gateway,
}) => {
  const headers = { 'content-type': 'application/json' };
  const padded = (length: number): string => '{"query":"{__typename}"}'.padEnd(length, ' ');
  for (const length of [24, 100_000, requestBody]) {
    const before = await directs(gateway);
    const { status, text } = await sendRaw(gateway.url, { headers, body: padded(length), isChunked: true });
    expect([status, text, (await directs(gateway)) - before]).toEqual([200, '{"data":{"__typename":"Query"}}', 1]);
  }
  for (const body of [padded(requestBody + 1), padded(2 * requestBody), '', '{"query":'])
    expect((await sendRaw(gateway.url, { headers, body, isChunked: true })).status).toBe(body.length > 20 ? 413 : 400);
});

test('a query takes the fast path by GET, and its HEAD does not', async ({ gateway, upstream }) => {
  upstream.script(healthyReply);
  const queryString = new URLSearchParams({
    query: 'query Missions($n: Int) { missions(first: $n) { nodes { name } } }',
    variables: '{"n":2}',
    operationName: 'Missions',
    utm_source: 'nobody reads it',
  }).toString();
  const headers = { authorization: 'Bearer test-key', accept: 'application/json' };
  const send = (method: string) => gateway.fetch(`/graphql?${queryString}`, { method, headers });
  const first = await send('GET');
  const text = await first.text();
  expect(text).toContain('"nodes":[{"name":');
  expect(await directs(gateway)).toBe(1);
  const second = await send('GET');
  expect([await second.text(), await directs(gateway)]).toEqual([text, 2]);
  expect(second.headers.get('vary')).toBe(first.headers.get('vary'));
  await send('HEAD');
  expect(await directs(gateway)).toBe(2);
  expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual(
    Array.from({ length: 3 }, () => upstream.requests[0]?.rawQuery),
  );
});

test.for(['prepare', 'checkDocument'] as const)(
  'a request whose rules fail at %s is counted on the path that it took',
  async (name, { upstream }) => {
    let prepared = 0;
    const failing: GraphqlRule = {
      [name]() {
        prepared++;
        throw new Error('a fault');
      },
    };
    const gateway = await startGateway(upstream.baseUrl, {}, { changeRules: (rules) => [...rules, failing] });
    for (let index = 0; index < 3; index++) {
      const { errors } = await ask(gateway, 'application/json');
      expect(errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
    }
    expect([prepared, await directs(gateway)]).toEqual([3, 3]);
    await gateway.close();
  },
);
