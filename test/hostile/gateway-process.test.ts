import { expect, test } from 'vitest';
import { talk } from './connection.ts';
import { startHostileGateway } from './gateway-process.ts';

const body = JSON.stringify({ query: '{ missions { totalCount } }' });
const head = `POST /graphql HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;

test('a stranger gets a response, and the good caller is served, however the stranger sends and reads', async () => {
  await using gateway = await startHostileGateway();
  const { length: calls } = gateway.upstream.requests;
  const whole = { pieces: [head + body], waitMs: 5_000 };
  const heard = await Promise.all([
    talk(gateway.url, whole),
    talk(gateway.url, { ...whole, pieces: [head, body.slice(0, 9), body.slice(9)] }),
    talk(gateway.url, { ...whole, pieces: [(head + body).repeat(3)], responses: 3 }),
    talk(gateway.url, { ...whole, reading: 'slowly' }),
  ]);
  expect(heard.map(({ end, responses }) => [end, ...responses.map(({ status }) => status)])).toEqual([
    ['answered', 200],
    ['answered', 200],
    ['answered', 200, 200, 200],
    ['answered', 200],
  ]);
  const left = await Promise.all([
    talk(gateway.url, { pieces: [head], waitMs: 50 }),
    talk(gateway.url, { ...whole, reading: 'leaves' }),
    talk(gateway.url, { ...whole, reading: 'nothing', waitMs: 50 }),
  ]);
  expect(left.map(({ end }) => end)).toEqual(['left', 'left', 'left']);
  expect(gateway.upstream.requests).toHaveLength(calls);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  expect(gateway.upstream.requests).toHaveLength(calls + 1);
  expect(await gateway.read()).toMatchObject({ heapBytes: expect.any(Number), unhandled: 0 });
  expect(gateway.ended).toBeNull();
});
