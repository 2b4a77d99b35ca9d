import { expect, test, type Gateway } from '../support/gateway.ts';

async function directs(gateway: Gateway): Promise<number> {
  const text = await (await gateway.fetch('/metrics')).text();
  return Number(/^switchboard_graphql_requests_total\{route="direct"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const ask = (gateway: Gateway, accept: string) => gateway.query('{ __typename }', { headers: { accept } });

test('a known query takes the fast path, whatever media types other clients accept', async ({ gateway }) => {
  await ask(gateway, 'application/json');
  await ask(gateway, 'application/json');
  expect(await directs(gateway)).toBe(1);
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
  expect(await directs(gateway)).toBe(240);
});
