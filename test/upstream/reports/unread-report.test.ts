import { afterEach, describe, expect, test, vi } from 'vitest';
import { createCall } from '../../../src/upstream/call.ts';
import { createClient, type StagedClient } from '../../../src/upstream/client.ts';
import { UnreadAnswer } from '../../../src/upstream/answer.ts';
import { ReceivedBody } from '../../../src/upstream/response/received-body.ts';
import { callerOf, createScriptedTransport, operationNamed } from '../client-harness.ts';

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
    const report = new UnreadAnswer(body, (bytes) => Promise.resolve(bytes.text));
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
    expect(await report.bodyOf(body)).toBe('{"data":1}');
    expect(await report.body()).toBe('{"data":1}');
    expect(report.bytes).toBeNull();
  });

  test('frees its bytes as soon as it has been read as it came', async () => {
    const { body, report } = create();
    const reading = report.bodyOf(body);
    expect(body.copies[0]).toHaveLength(0);
    expect(await reading).toBe('{"data":1}');
  });
});

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
  expect(client.kept.size.count).toBe(501);
  vi.advanceTimersByTime(5_000);
  expect(client.kept.size).toEqual({ count: 1, bytes: 26 });
  vi.advanceTimersByTime(6_000);
  expect(client.kept.size).toEqual({ count: 0, bytes: 0 });
  expect(vi.getTimerCount()).toBe(0);
});
