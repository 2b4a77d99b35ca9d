import { describe } from 'vitest';
import { createCall } from '../../../src/upstream/call.ts';
import { createClient } from '../../../src/upstream/client.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, operationNamed } from '../client-harness.ts';

const numbers = Array.from({ length: 1_200 }, (_, index) => `+1312${String(index).padStart(7, '0')}`);
const reportOf = (email: string): Reply => ({
  json: {
    data: records.chargesBreakdownRecord({
      user_email: email,
      results: numbers.map((tn) => records.chargesBreakdownResultRecord({ tn })),
    }),
  },
});

const document = `query ($after: String, $startDate: Date = "2026-10-01") {
  chargesBreakdown(startDate: $startDate) {
    userEmail
    results(first: 500, after: $after) { nodes { tn } pageInfo { hasNextPage endCursor } }
  }
}`;

async function readAll(gateway: Gateway): Promise<readonly string[]> {
  const read: string[] = [];
  for (let after: string | null = null; ;) {
    const { data } = await gateway.query(document, { variables: { after } });
    const { nodes, pageInfo } = data.chargesBreakdown.results;
    read.push(...nodes.map(({ tn }: { readonly tn: string }) => tn));
    if (!pageInfo.hasNextPage) return read;
    after = pageInfo.endCursor;
  }
}

const kept = { REPORT_CACHE_MS: '60000' };

describe('a report that is paged through', () => {
  test('is read once', async ({ startWith, upstream }) => {
    const gateway = await startWith(kept);
    upstream.script(() => reportOf('a@example.com'));
    expect(await readAll(gateway)).toEqual(numbers);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is read for each page where none is kept', async ({ startWith, upstream }) => {
    const gateway = await startWith({ REPORT_CACHE_MS: '0' });
    upstream.script(() => reportOf('a@example.com'));
    expect(await readAll(gateway)).toEqual(numbers);
    expect(upstream.requests).toHaveLength(3);
  });

  test('is read for each page where it is larger than may be kept', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...kept, REPORT_CACHE_BYTES: '1000' });
    upstream.script(() => reportOf('a@example.com'));
    await readAll(gateway);
    expect(upstream.requests).toHaveLength(3);
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

  test('is not kept where its call failed', async ({ startWith, upstream }) => {
    const gateway = await startWith(kept);
    upstream.script(() => ({ status: 500, json: { errors: [{ code: '10007', title: 'Unexpected error' }] } }));
    expect((await gateway.query(document)).errors).toHaveLength(1);
    upstream.script(() => reportOf('a@example.com'));
    expect((await gateway.query(document)).errors).toEqual([]);
    expect(upstream.requests).toHaveLength(2);
  });

  test.for(['{"data": {"results": [', '{"data": []}', '{"errors": [{"code": "10007", "title": "Unexpected error"}]}'])(
    'is not kept where its body is none, whichever path meets it first: %s',
    async (text, { startWith, upstream }) => {
      const gateway = await startWith(kept);
      upstream.script(() => ({ text }));
      const failed = await Promise.all([gateway.query(document), gateway.query(document)]);
      expect(failed.map(({ errors }) => errors.length)).toEqual([1, 1]);
      expect(upstream.requests).toHaveLength(1);
      upstream.script(() => reportOf('a@example.com'));
      expect((await gateway.query(document)).errors).toEqual([]);
      expect(upstream.requests).toHaveLength(2);
    },
  );

  test('is read once for requests at the same time', async ({ startWith, upstream }) => {
    const gateway = await startWith(kept);
    upstream.script(() => reportOf('a@example.com'));
    await Promise.all([gateway.query(document), gateway.query(document), gateway.query(document)]);
    expect(upstream.requests).toHaveLength(1);
  });
});

test('no list is kept, and no report as CSV', async ({ startWith, upstream }) => {
  const gateway = await startWith(kept);
  upstream.script(({ path }) =>
    path === '/ai/missions'
      ? { json: { data: [], meta: {} } }
      : { text: 'tn\r\n', headers: { 'content-type': 'text/csv' } },
  );
  for (let round = 0; round < 2; round++)
    await gateway.query('{ missions { totalCount } chargesBreakdownCsv(startDate: "2026-10-01") { content } }');
  expect(upstream.requests).toHaveLength(4);
});

describe('the room for reports', () => {
  /** Asks for reports of so many bytes; the names of those for which a call was made. */
  function asker(mostBytes: number, now: () => number = () => 1) {
    const transport = createScriptedTransport(({ request, answer }) => {
      const bytes = Number(request.path.split('-')[1]);
      answer(200, 'x'.repeat(bytes - 2));
    });
    const client = createClient(transport, [], { reports: { keepMs: 1_000, mostBytes }, now });
    const endpoint = { ...operationNamed('GET /report'), isPagedHere: true };
    const ask = async (...names: readonly string[]): Promise<readonly string[]> => {
      for (const q of names) await client.get(createCall(endpoint, { q }), callerOf('a'));
      return transport.paths.splice(0).map((path) => path.replace('/report?q=', ''));
    };
    return { client, ask };
  }

  test('is bounded: the oldest report goes', async () => {
    const { client, ask } = asker(100);
    expect(await ask('a-40', 'b-40', 'b-40', 'c-40', 'b-40', 'c-40')).toEqual(['a-40', 'b-40', 'c-40']);
    expect(client.answers.size).toEqual({ count: 2, bytes: 80 });
    expect(await ask('d-101', 'd-101', 'b-40', 'c-40')).toEqual(['d-101', 'd-101']);
    expect(await ask('a-60', 'c-40', 'b-40')).toEqual(['a-60', 'b-40']);
    expect(client.answers.size).toEqual({ count: 2, bytes: 100 });
  });

  test('becomes free when the time is up', async () => {
    let now = 1;
    const { ask } = asker(100, () => now);
    await ask('a-10');
    now += 999;
    expect(await ask('a-10')).toEqual([]);
    now += 2;
    expect(await ask('a-10')).toEqual(['a-10']);
  });
});

test('a report that turns out to be none leaves the one that has taken its place', async () => {
  let now = 1;
  const bodies = [{ data: null }, { data: { total: 'new' } }];
  const transport = createScriptedTransport((call) => call.answer(200, bodies.shift()));
  const client = createClient(transport, [], { reports: { keepMs: 1_000, mostBytes: 1_000 }, now: () => now });
  const things = operationNamed('GET /things');
  const report = createCall(
    {
      ...things,
      isPagedHere: true,
      read(response) {
        const thing = things.read(response);
        if (thing.data === null) throw new Error('no report');
        return thing;
      },
    },
    {},
  );
  const older = await client.fetch(report, callerOf('a'));
  now += 1_001;
  const newer = await client.fetch(report, callerOf('a'));
  await expect(older.read()).rejects.toThrow('no report');
  expect(await client.get(report, callerOf('a'))).toEqual({ data: { total: 'new' } });
  expect(await newer.read()).toEqual({ data: { total: 'new' } });
  expect(transport.paths).toEqual(['/things', '/things']);
});
