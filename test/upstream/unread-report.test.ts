import { afterEach, describe, expect, test, vi } from 'vitest';
import { createCall } from '../../src/upstream/call.ts';
import { createClient, type Client } from '../../src/upstream/client.ts';
import { ReportCache, UnreadReport } from '../../src/upstream/report-cache.ts';
import { ReceivedBody } from '../../src/upstream/response/received-body.ts';
import { callerOf, createScriptedTransport, operationNamed } from './client-harness.ts';

afterEach(() => vi.useRealTimers());

/** A body that shows what is copied of it. */
class CopiedBody extends ReceivedBody {
  readonly copies: Buffer[] = [];

  override copy(): Buffer<ArrayBuffer> {
    const copy = super.copy();
    this.copies.push(copy);
    return copy;
  }
}

const textsOf = ({ copies }: CopiedBody): readonly string[] => copies.map((copy) => copy.toString());

describe('a report that is kept unread and then forgotten', () => {
  const create = () => {
    const body = new CopiedBody([Buffer.from('{"da'), Buffer.from('ta":1}')]);
    const report = new UnreadReport((bytes) => Promise.resolve(bytes.text));
    report.keep(body);
    expect(textsOf(body)).toEqual(['{"data":1}']);
    return { body, report };
  };

  test('frees its bytes at once', () => {
    const { body, report } = create();
    report.forget();
    expect(body.copies[0]).toHaveLength(0);
    expect(body.text).toBe('{"data":1}');
  });

  test('leaves its bytes to whoever has seen them', async () => {
    const { body, report } = create();
    const { bytes } = report;
    report.forget();
    report.forget();
    expect(textsOf(body)).toEqual(['{"data":1}']);
    expect(bytes?.text).toBe('{"data":1}');
    expect(await report.body()).toBe('{"data":1}');
  });

  test('is read by whoever still has it as it came', async () => {
    const { body, report } = create();
    report.forget();
    expect(await report.body(body)).toBe('{"data":1}');
    expect(await report.body()).toBe('{"data":1}');
    expect(report.bytes).toBeNull();
  });

  test('frees its bytes as soon as it has been read as it came', async () => {
    const { body, report } = create();
    const reading = report.body(body);
    expect(body.copies[0]).toHaveLength(0);
    expect(await reading).toBe('{"data":1}');
  });
});

// Of 26 bytes each, so that there is room for two.
const cacheOf = () => new ReportCache({ keepMs: 10_000, mostBytes: 60 });

const reportOf = (q: string) => createCall({ ...operationNamed('GET /things'), isPagedHere: true }, { q });

function createReportClient(): Client {
  const transport = createScriptedTransport((call) => call.answer(200, { data: call.request.path.padStart(15, '.') }));
  return createClient(transport, [], cacheOf());
}

const fetchReport = (client: Client, q: string) => client.fetch?.(reportOf(q), callerOf('a'));

test('those who hold a report when others take its place read it whole', async () => {
  const client = createReportClient();
  const first = await fetchReport(client, '1');
  const hit = await fetchReport(client, '1');
  for (const q of ['2', '3', '4']) await fetchReport(client, q);
  const expected = { data: '....../things?q=1'.slice(-15) };
  for (const fetched of [first, hit]) {
    expect(JSON.parse(fetched?.bytes?.text ?? '')).toEqual(expected);
    expect(await fetched?.read()).toEqual(expected);
  }
});

test('each kept report ends in its time, although nobody asks for it', () => {
  vi.useFakeTimers();
  const cache = new ReportCache({ keepMs: 10_000, mostBytes: 1_000_000 });
  const keep = (name: string): boolean => cache.begin(name, 'a', 'GET /report').keep(name, 10);
  for (let count = 0; count < 500; count++) keep(`early ${count}`);
  vi.advanceTimersByTime(6_000);
  keep('late');
  expect(cache.size()).toEqual({ count: 501, bytes: 5_010 });
  vi.advanceTimersByTime(5_000);
  expect(cache.size()).toEqual({ count: 1, bytes: 10 });
  vi.advanceTimersByTime(6_000);
  expect(cache.size()).toEqual({ count: 0, bytes: 0 });
  expect(vi.getTimerCount()).toBe(0);
});
