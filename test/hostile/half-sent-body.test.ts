import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodiesUnderWay } from '../../src/bounds.ts';
import { talk } from './connection.ts';
import { startHostileGateway, type GatewayProcess } from './gateway-process.ts';

const mebibyte = 1_048_576;
const length = 900_000;
const waitMs = 60_000;
const begun = `{"query":"{ __typename } # ${'x'.repeat(length - 100)}`;

const heads: readonly (readonly [how: string, head: string, path?: string])[] = [
  ['with its length', `content-length: ${mebibyte}\r\n\r\n`],
  ['with its length, for a reader of events', `accept: text/event-stream\r\ncontent-length: ${mebibyte}\r\n\r\n`],
  ['in chunks', `transfer-encoding: chunked\r\n\r\n${mebibyte.toString(16)}\r\n`],
  ['to the tools', `content-length: ${mebibyte}\r\n\r\n`, '/mcp'],
];
const headOf = (rest: string, path = '/graphql'): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${rest}`;
const whole = `${begun}"}`;

/** The status of a large request that is sent whole. */
async function askAtLength(url: string): Promise<number | undefined> {
  const head = headOf(`content-length: ${Buffer.byteLength(whole)}\r\n\r\n`);
  const { responses } = await talk(url, { pieces: [head + whole], waitMs });
  return responses[0]?.status;
}

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startHostileGateway({ env: { MCP: 'true' } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

test.for(heads)(
  'bodies that are never finished take bounded memory, and soon none: sent %s',
  async ([, head, path]) => {
    const before = await gateway.read();
    const leaving = Promise.withResolvers<void>();
    let refusals = 0;
    const strangers = Array.from({ length: 120 }, async () => {
      const heard = await talk(gateway.url, {
        pieces: [headOf(head, path) + begun],
        waitMs,
        leaving: leaving.promise,
      });
      refusals += heard.responses.length;
      return heard;
    });
    // Those that find no room get 429.
    const heldBytes = async (): Promise<number> => (await gateway.read()).externalBytes - before.externalBytes;
    await expect.poll(heldBytes).toBeGreaterThan(bodiesUnderWay / 2);
    await expect.poll(() => refusals).toBeGreaterThan(20);
    expect(await heldBytes()).toBeLessThan(bodiesUnderWay * 1.5);
    expect(await gateway.askAsGoodCaller()).toBeNull();
    // Those who leave make room for a client that sends as much, and all of it.
    leaving.resolve();
    await expect.poll(() => askAtLength(gateway.url)).toBe(200);
    const heard = await Promise.all(strangers);
    const refused = heard.flatMap(({ responses }) => responses);
    for (const { status, body } of refused) {
      expect(status).toBe(429);
      expect(JSON.parse(body.toString())).toMatchObject(
        path === '/mcp'
          ? { jsonrpc: '2.0', id: null, error: { data: { code: 'RATE_LIMITED', retryable: true } } }
          : { errors: [{ extensions: { code: 'RATE_LIMITED', retryable: true } }] },
      );
    }
    await expect.poll(heldBytes).toBeLessThan(8 * mebibyte);
  },
);
