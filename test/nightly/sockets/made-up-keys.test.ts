import { expect, test } from 'vitest';
import { subscribe } from '../../support/streams.ts';
import { talk } from '../../support/http.ts';
import { goodKey, startGatewayProcess } from './gateway-process.ts';

const slowMs = 1_000;

function post(key: string, accept: string, query: string): string {
  const body = JSON.stringify({ query });
  return [
    'POST /graphql HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `accept: ${accept}`,
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

test('1,300 connections with made-up keys, before an API that refuses them slowly, cost the good caller nothing', async () => {
  await using gateway = await startGatewayProcess({
    script: async () => {
      await new Promise((resolve) => setTimeout(resolve, slowMs));
      return { status: 401 };
    },
  });
  const leaving = Promise.withResolvers<void>();
  const strangers = Array.from({ length: 1_300 }, (_, n) => {
    const request =
      n % 2 === 0
        ? post(`made-up-${n}`, 'application/json', '{ missions(first: 2) { totalCount } }')
        : post(`made-up-${n}`, 'text/event-stream', 'subscription { webhookDeliveries { id } }');
    return talk(gateway.url, { pieces: [request], responses: 0, waitMs: 60 * slowMs, leaving: leaving.promise });
  });
  await expect.poll(() => gateway.upstream.requests.length).toBeGreaterThan(10);
  for (let round = 0; round < 5; round++) {
    expect(await gateway.askAsGoodCaller()).toBeNull();
    const stream = await subscribe(
      gateway,
      `subscription { webhookDeliveries(filter: { status: { eq: "${round}" } }) { id } }`,
      {
        key: goodKey,
      },
    );
    await stream.begun;
    expect(stream.events).toEqual([]);
    stream.close();
  }
  leaving.resolve();
  await Promise.all(strangers);
  expect(gateway.ended).toBeNull();
});
