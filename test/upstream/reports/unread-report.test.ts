import { afterEach, expect, test, vi } from 'vitest';
import { createCall } from '../../../src/upstream/call.ts';
import { createClient, type StagedClient } from '../../../src/upstream/client.ts';
import { callerOf, createScriptedTransport, operationNamed } from '../client-harness.ts';

afterEach(() => vi.useRealTimers());

const reportOf = (q: string) => createCall({ ...operationNamed('GET /things'), isPagedHere: true }, { q });

function createReportClient(mostBytes: number): StagedClient {
  const transport = createScriptedTransport((call) => call.answer(200, { data: call.request.path.padStart(15, '.') }));
  return createClient(transport, [], { reports: { keepMs: 10_000, mostBytes } });
}

const fetchReport = (client: StagedClient, q: string) => client.fetch(reportOf(q), callerOf('a'));

test('those who hold a report when others take its place read it whole', async () => {
  // Of 26 bytes each, so that there is room for two.
  const client = createReportClient(60);
  const first = await fetchReport(client, '1');
  const hit = await fetchReport(client, '1');
  for (const q of ['2', '3', '4']) await fetchReport(client, q);
  const expected = { data: '....../things?q=1'.slice(-15) };
  for (const fetched of [first, hit]) {
    expect(JSON.parse(fetched.bytes?.text ?? '')).toEqual(expected);
    expect(await fetched.read()).toEqual(expected);
  }
});

test('each kept report ends in its time, although nobody asks for it', async () => {
  vi.useFakeTimers();
  const client = createReportClient(1_000_000);
  for (let count = 0; count < 500; count++) await fetchReport(client, String(count).padStart(3, '0'));
  vi.advanceTimersByTime(6_000);
  await fetchReport(client, 'late');
  expect(client.answers.size.count).toBe(501);
  vi.advanceTimersByTime(5_000);
  expect(client.answers.size).toEqual({ count: 1, bytes: 26 });
  vi.advanceTimersByTime(6_000);
  expect(client.answers.size).toEqual({ count: 0, bytes: 0 });
  expect(vi.getTimerCount()).toBe(0);
});
