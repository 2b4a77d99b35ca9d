import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodiesUnderWay, smallBody } from '../../src/bounds.ts';
import { sendAsStranger } from '../attack/batch.ts';
import { faultsOf, mostBytes } from '../attack/fault.ts';
import { places, requestAt } from '../attack/growth-place.ts';
import { talk } from './connection.ts';
import { startHostileGateway, type GatewayProcess } from './gateway-process.ts';

// The promises of docs/reliability.md, each read off the metrics of the process that has to keep it.

const mebibyte = 1_048_576;
const nobody = { standing: 'no key', authorization: null } as const;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startHostileGateway({ hasPages: true });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** The cost of a request in milliseconds of processor time, by the process's own metrics; measured twice where it seems too much. */
async function costMs(make: () => Promise<unknown>, most: number): Promise<number> {
  const costs: number[] = [];
  for (let time = 0; time < 2 && !costs.some((cost) => cost < most); time++) {
    const before = await gateway.glance();
    await make();
    costs.push(((await gateway.glance()).cpuSeconds - before.cpuSeconds) * 1_000);
  }
  return Math.min(...costs);
}

describe('one request without a key', () => {
  // The cost of reading the metrics, and the noise of a machine.
  const noiseMs = 20;
  const dearest = new Map<string, number>();
  afterAll(() => {
    const [first] = [...dearest].sort(([, one], [, other]) => other - one);
    // A figure to look at.
    console.log(`The dearest request is that with ${first?.join(': ')} ms.`);
  });

  test.for(Object.entries(places))(
    'costs at most in proportion to its length, sends no upstream call and gets no large response: %s',
    async ([what, place]) => {
      const { length: calls } = gateway.upstream.requests;
      const costAt = (scale: number, most: number): Promise<number> => {
        const request = requestAt(place, (length) => 'a'.repeat(length), scale, nobody);
        return costMs(async () => {
          const heard = await sendAsStranger(gateway.url, request);
          expect(heard.bytes).toBeLessThan(mostBytes);
          expect(faultsOf(request, heard)).toEqual([]);
        }, most);
      };
      const once = await costAt(1, noiseMs);
      // Four times the length, and as much again for a busy machine.
      const most = 8 * Math.max(once, noiseMs);
      const fourTimes = await costAt(4, most);
      dearest.set(what, Math.round(fourTimes));
      expect(fourTimes).toBeLessThan(most);
      expect(gateway.upstream.requests).toHaveLength(calls);
      expect(await gateway.askAsGoodCaller()).toBeNull();
      gateway.upstream.requests.length = calls;
    },
  );
});

const post = (body: string, rest = ''): string =>
  `POST /graphql HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n${rest}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const query = (text: string, rest?: string): string => post(JSON.stringify({ query: text }), rest);

describe('a request without a good key leaves nothing in memory', () => {
  const kinds: Readonly<Record<string, (number: number) => string>> = {
    'a document of one unknown field': (number) => query(`{a${number}}`),
    'a document that is none': (number) => query(`}${number}`),
    'a document beyond a limit': (number) => query(`{ ${`a: __typename ${number} `.repeat(200)} }`),
    'a variable that does not fit': (number) =>
      post(
        JSON.stringify({
          query: 'query ($v: Int) { missions(first: $v) { totalCount } }',
          variables: { v: `x${number}` },
        }),
      ),
    'a body that is no JSON': (number) => post(`{"query":${number}`),
    'an identifier of no operation': (number) => post(JSON.stringify({ documentId: `id-${number}` })),
    'a key that was made up': (number) =>
      query('{ missions { totalCount } }', `authorization: Bearer made-up-${number}\r\n`),
    'headers of its own': (number) =>
      query(
        '{ __typename }',
        `x-request-id: ${number}\r\naccept: a/b${number}\r\norigin: https://o${number}.example.com\r\nlast-event-id: ${number}\r\n`,
      ),
    'a path that leads nowhere': (number) => `GET /nowhere/${number} HTTP/1.1\r\nhost: gateway\r\n\r\n`,
  };
  const perConnection = 50;
  const count = 1_200;
  let sent = 0;

  async function send(make: (number: number) => string, most: number): Promise<void> {
    for (let done = 0; done < most; done += perConnection) {
      const pieces = [Array.from({ length: perConnection }, () => make(sent++)).join('')];
      const { responses } = await talk(gateway.url, { pieces, responses: perConnection, waitMs: 20_000 });
      expect(responses).toHaveLength(perConnection);
    }
  }

  test.for(Object.entries(kinds))('%s', async ([, make]) => {
    const heldBytes = async (): Promise<number> => {
      const { heapBytes, externalBytes } = await gateway.read();
      return heapBytes + externalBytes;
    };
    await send(make, 300);
    const before = await heldBytes();
    await send(make, count);
    // A kilobyte each is what readings differ by.
    expect((await heldBytes()) - before).toBeLessThan(count * 1_024);
    expect(await gateway.askAsGoodCaller()).toBeNull();
  });
});

describe('a thousand connections of strangers', () => {
  const connections = 1_000;
  const introspection = query('{ __schema { types { name description fields { name description } } } }');
  const holds: readonly (readonly [what: string, bytes: string, mostBytes: number])[] = [
    ['say nothing', '', 16 * mebibyte],
    ['send half a head', `GET / HTTP/1.1\r\nhost: gateway\r\nx-a: ${'a'.repeat(15_000)}`, 24 * mebibyte],
    ['send half a body', post(' '.repeat(mebibyte)).slice(0, 900_000), 1.5 * bodiesUnderWay + connections * smallBody],
    ['read nothing', introspection, 64 * mebibyte],
    ['read nothing of many', introspection.repeat(5), 64 * mebibyte],
  ];

  function open(bytes: string): Promise<Socket> {
    const { hostname, port } = new URL(gateway.url);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        if (bytes === '') resolve(socket);
        else socket.write(bytes, () => resolve(socket));
      });
      // A connection that is closed, for what was sent, is held no longer.
      socket.on('error', () => resolve(socket));
    });
  }

  test.for(holds)('take bounded memory, and free it: those that %s', async ([, bytes, most]) => {
    const before = await gateway.read();
    const sockets = await Promise.all(Array.from({ length: connections }, () => open(bytes)));
    const heldBytes = async (): Promise<number> => {
      const { heapBytes, externalBytes } = await gateway.read();
      return heapBytes + externalBytes - before.heapBytes - before.externalBytes;
    };
    const held = await heldBytes();
    // A figure to look at.
    console.log(`${Math.round((held / mebibyte) * 10) / 10} MiB.`);
    expect(held).toBeLessThan(most);
    expect(await gateway.askAsGoodCaller()).toBeNull();
    for (const socket of sockets) socket.destroy();
    await expect.poll(heldBytes, { timeout: 60_000 }).toBeLessThan(4 * mebibyte);
  });
});
