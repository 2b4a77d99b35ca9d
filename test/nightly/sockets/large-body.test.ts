import { expect, test } from 'vitest';
import * as records from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';

const mebibyte = 1_048_576;
const size = 26 * mebibyte;
const json = { 'content-type': 'application/json' };

function grown(record: object): Buffer {
  const text = JSON.stringify(record);
  return Buffer.from(`[${Array.from({ length: Math.floor(size / (text.length + 1)) }, () => text).join(',')}]`);
}

const list = Buffer.concat([
  Buffer.from('{"meta":{"total_results":250,"page_size":250},"data":'),
  Buffer.from(JSON.stringify(Array(250).fill(records.ipConnectionRecord({ tags: [' '.repeat(size / 250)] })))),
  Buffer.from('}'),
]);
const report = Buffer.concat([
  Buffer.from('{"data":{"user_id":"u","results":'),
  grown(records.chargesBreakdownResultRecord()),
  Buffer.from('}}'),
]);
const pathOf: Readonly<Record<string, Buffer>> = { '/ip_connections': list, '/charges_breakdown': report };

const many = (count: number, make: (index: number) => string): string =>
  `{ ${Array.from({ length: count }, (_, index) => make(index)).join(' ')} }`;
const lists = (count: number): string =>
  many(count, (n) => `a${n}: ipConnections(first: 250, filter: { fqdn: "${n}" }) { nodes { id } }`);
const reports = (count: number): string =>
  many(count, (n) => {
    const day = new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
    return `a${n}: chargesBreakdown(startDate: "${day}") { results(first: 1) { totalCount } }`;
  });

/** The codes of what failed, and how much did not. */
async function ask({ url }: GatewayProcess, query: string, key = 'a-key') {
  const headers = { ...json, authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data, errors = [] } = (await response.json()) as {
    readonly data: Readonly<Record<string, unknown>>;
    readonly errors?: readonly { readonly extensions: { readonly code: string; readonly retryable: boolean } }[];
  };
  return { answered: Object.values(data).filter((value) => value !== null).length, errors };
}

test.for<[string, (count: number) => string]>([
  ['lists', lists],
  ['reports', reports],
])('fifty %s of 26 MB take no more memory than ten, and the good caller is served meanwhile', async ([, make]) => {
  await using gateway = await startGatewayProcess({
    // A third of what fifty would take, held whole.
    heapMiB: 700,
    env: { LIMIT_COST: '1000000', UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '120000' },
    script: ({ path, headers }): Reply => {
      const body = pathOf[path] ?? Buffer.from('{}');
      const isTold = headers.authorization === 'Bearer a-key';
      return {
        act: (res) => res.writeHead(200, { ...json, ...(isTold && { 'content-length': body.length }) }).end(body),
      };
    },
  });
  const peaks: number[] = [];
  for (const count of [10, 50]) {
    const asked = [ask(gateway, make(count)), ask(gateway, make(count), 'another-key')];
    expect(await gateway.askAsGoodCaller()).toBeNull();
    const answers = await Promise.all(asked);
    // Each holds what it has read until all of its bodies have come or failed, so one of the two may leave no room to the other.
    expect(answers.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(0);
    for (const { answered, errors } of answers) {
      expect(answered + errors.length).toBe(count);
      for (const { extensions } of errors)
        expect(extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true });
    }
    peaks.push(gateway.peakBytes());
  }
  // The room is the same for ten as for fifty; garbage that has not been collected comes on top.
  expect((peaks[1] ?? 0) - (peaks[0] ?? 0)).toBeLessThan(256 * mebibyte);
  expect(await gateway.heldBytes()).toBeLessThan(200 * mebibyte);
  expect(gateway.ended).toBeNull();
});
