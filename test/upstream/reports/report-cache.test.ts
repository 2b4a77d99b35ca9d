import { describe, onTestFinished, vi } from 'vitest';
import { createCall } from '../../../src/upstream/call.ts';
import { StagedClient } from '../../../src/upstream/client.ts';
import { expect, test } from '../../support/gateway.ts';
import { chargesBreakdownRecord, chargesBreakdownResultRecord } from '../../support/records.ts';
import { pageReply, refusal, type Reply } from '../../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, get, operationNamed } from '../client-harness.ts';

const numbers = Array.from({ length: 1_200 }, (_, index) => `+1312${String(index).padStart(7, '0')}`);
const results = numbers.map((tn) => chargesBreakdownResultRecord({ tn }));
const reportOf = (email: string): Reply => ({ json: { data: chargesBreakdownRecord({ user_email: email, results }) } });

const document = `query ($after: String, $startDate: Date = "2026-10-01") {
  chargesBreakdown(startDate: $startDate) {
    userEmail
    results(first: 500, after: $after) { nodes { tn } pageInfo { hasNextPage endCursor } }
  }
}`;

const kept = { REPORT_CACHE_MS: '60000' };

describe('a report that is paged through', () => {
  test.for([
    ['once', kept, 1],
    ['for each page where none is kept', { REPORT_CACHE_MS: '0' }, 3],
    ['for each page where it is larger than may be kept', { ...kept, REPORT_CACHE_BYTES: '1000' }, 3],
  ] as const)('is read %s', async ([, settings, calls], { startWith, upstream }) => {
    const gateway = await startWith(settings);
    upstream.script(() => reportOf('a@example.com'));
    const read: string[] = [];
    for (let after: string | null = null; read.length < numbers.length;) {
      const { data } = await gateway.query(document, { variables: { after } });
      const { nodes, pageInfo } = data.chargesBreakdown.results;
      read.push(...nodes.map(({ tn }: { readonly tn: string }) => tn));
      after = pageInfo.endCursor;
    }
    expect(read).toEqual(numbers);
    expect(upstream.requests).toHaveLength(calls);
  });

  test('is kept for its caller and its period alone', async ({ startWith, upstream }) => {
    const gateway = await startWith(kept);
    upstream.script(({ headers }) => reportOf(`${headers['authorization']?.replace('Bearer ', '')}@example.com`));
    for (let round = 0; round < 2; round++) {
      for (const key of ['first-key', 'second-key']) {
        const { data } = await gateway.query(document, { key });
        expect(data.chargesBreakdown.userEmail).toBe(`${key}@example.com`);
      }
    }
    expect(upstream.requests).toHaveLength(2);
    await gateway.query(document, { key: 'first-key', variables: { startDate: '2026-09-01' } });
    expect(upstream.requests).toHaveLength(3);
    // Without a key of its own nobody gets anything.
    const { errors } = await gateway.query(document, { key: null });
    expect(errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  test.for<Reply>([
    refusal(500, '10007', 'Unexpected error'),
    { text: '{"data": {"results": [' },
    { json: { data: [] } },
    refusal(200, '10007', 'Unexpected error'),
    { json: { data: chargesBreakdownRecord({ start_date: '2026-09-01' }) } },
  ])('is not kept where its response is none: %j', async (reply, { startWith, upstream }) => {
    const gateway = await startWith(kept);
    upstream.script(() => reply);
    const failed = await Promise.all([gateway.query(document), gateway.query(document)]);
    expect(failed.map(({ errors }) => errors.length)).toEqual([1, 1]);
    expect(upstream.requests).toHaveLength(1);
    upstream.script(() => reportOf('a@example.com'));
    expect((await gateway.query(document)).errors).toEqual([]);
    expect(upstream.requests).toHaveLength(2);
  });
});

test('no list is kept, and no report as CSV', async ({ startWith, upstream }) => {
  const gateway = await startWith(kept);
  const csv = { text: 'tn\r\n', headers: { 'content-type': 'text/csv' } };
  upstream.script((request) => (request.path === '/ai/missions' ? pageReply([], request) : csv));
  for (let round = 0; round < 2; round++)
    await gateway.query('{ missions { totalCount } chargesBreakdownCsv(startDate: "2026-10-01") { content } }');
  expect(upstream.requests).toHaveLength(4);
});

test('kept reports are bounded in bytes and time: the oldest goes first, and nobody has to ask', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const transport = createScriptedTransport(({ request, answer }) => {
    answer(200, 'x'.repeat(Number(request.call.target.split('-')[1]) - 2));
  });
  const client = new StagedClient(transport, [], { reportCacheMs: 1_000, reportCacheBytes: 100 });
  const endpoint = { ...operationNamed('GET /report'), isPagedHere: true };
  /** The names of those reports for which a call was made. */
  const ask = async (...names: readonly string[]): Promise<readonly string[]> => {
    for (const q of names) await get(client, createCall(endpoint, { q }), callerOf('a'));
    return transport.paths.splice(0).map((path) => path.replace('/report?q=', ''));
  };
  expect(await ask('a-40', 'b-40', 'b-40', 'c-40', 'b-40', 'c-40')).toEqual(['a-40', 'b-40', 'c-40']);
  expect(client.keptReports).toEqual({ count: 2, bytes: 80 });
  expect(await ask('d-101', 'd-101', 'b-40', 'c-40')).toEqual(['d-101', 'd-101']);
  vi.advanceTimersByTime(600);
  expect(await ask('a-60', 'c-40', 'b-40')).toEqual(['a-60', 'b-40']);
  expect(client.keptReports).toEqual({ count: 2, bytes: 100 });
  vi.advanceTimersByTime(399);
  expect(await ask('b-40')).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(client.keptReports).toEqual({ count: 0, bytes: 0 });
  expect(vi.getTimerCount()).toBe(0);
});
