import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'graphql';
import { afterEach, vi } from 'vitest';
import { createDocumentCache, Documents, documentCacheBytes } from '../../../src/http/documents.ts';
import { expect, judge, offFastPath, testOfFile as test } from '../../support/gateway.ts';
import { directs } from '../../support/metrics.ts';
import { healthyReply } from '../../support/root-fields.ts';

const read = vi.spyOn(Documents.prototype, 'read');
const check = vi.spyOn(Documents.prototype, 'check');

afterEach(() => {
  read.mockClear();
  check.mockClear();
});

const twice = '{ missions { totalCount } } # the same on either path';

/** What is done of a body when it comes for the first time, and again. */
const cases = {
  'a valid query': [{ query: '{ missions { totalCount } }' }, [1, 1, true], [0, 0, true]],
  'a valid query off the fast path': [{ query: twice, extensions: offFastPath }, [1, 1, false], [0, 0, false]],
  'a text that is no document': [{ query: '{ missions {' }, [1, 0, true], [1, 0, true]],
  'a text of too many lines': [{ query: `{ __typename }${'\n'.repeat(60_000)}` }, [1, 0, true], [1, 0, true]],
  'a document that is not valid': [{ query: '{ mission }' }, [1, 1, true], [1, 1, true]],
  'a document beyond a limit': [{ query: `{ ${'__typename '.repeat(51)} }` }, [1, 1, true], [1, 1, true]],
  'a query that is not the only one': [
    { query: 'query A { __typename } query B { __typename }' },
    [1, 0, true],
    [1, 0, true],
  ],
  'a subscription': [{ query: 'subscription { webhookDeliveries { id } }' }, [1, 1, false], [0, 0, false]],
  'a query in pieces': [
    { query: '{ missions { totalCount ... @defer { nodes { id } } } }' },
    [1, 1, false],
    [0, 0, false],
  ],
  'no text': [{ query: 7 }, [0, 0, true], [0, 0, true]],
} as const;

test.for(Object.entries(cases))(
  '%s is read and checked once, whichever path it takes',
  async ([, [body, first, again]], { gateway, upstream, startWith }) => {
    upstream.script(healthyReply);
    const plain = await startWith({}, judge);
    const send = async (through: typeof gateway): Promise<readonly unknown[]> => {
      const response = await through.fetch('/graphql', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          authorization: 'Bearer a-key',
          'x-request-id': 'one',
        },
        body: JSON.stringify(body),
      });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    const expected = await send(plain);
    for (const done of [first, again]) {
      const before = await directs(gateway);
      read.mockClear();
      check.mockClear();
      expect(await send(gateway)).toEqual(expected);
      const isDirect = (await directs(gateway)) > before;
      expect([read.mock.calls.length, check.mock.calls.length, isDirect]).toEqual(done);
    }
  },
);

test('a document that is nested too deeply to be checked is refused alike on both paths', async ({ startWith }) => {
  const room = { LIMIT_TOKENS: '100000' };
  const [plain, fast] = [await startWith(room, judge), await startWith(room)];
  const chain = Array.from({ length: 4_200 }, (_, index) => `fragment F${index} on Query { ...F${index + 1} }`);
  const query = `{ ...F0 } ${chain.join(' ')} fragment F4200 on Query { __typename }`;
  const headers = { accept: 'application/graphql-response+json', 'x-request-id': 'one' };
  const [expected, seen] = [await plain.query(query, { headers }), await fast.query(query, { headers })];
  expect(expected.errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
  expect([seen.status, seen.headers.get('content-type'), seen.text]).toEqual([
    expected.status,
    expected.headers.get('content-type'),
    expected.text,
  ]);
});

test('trusted and other known documents get the same response as at first', async ({ startWith, upstream }) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-known-'));
  try {
    writeFileSync(join(folder, 'Missions.graphql'), 'query Missions { missions { totalCount } }');
    upstream.script(() => ({ json: { data: [], meta: { total_results: 7 } } }));
    const gateway = await startWith({ PERSISTED_OPERATIONS: folder });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer a-key' };
    for (const body of [{ documentId: 'Missions' }, { query: '{ missions { totalCount } }' }]) {
      for (let round = 0; round < 3; round++) {
        const response = await gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
        expect(await response.json()).toEqual({ data: { missions: { totalCount: 7 } } });
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const fields = (count: number): string => `{ ${'a '.repeat(count)}}`;

test('returns a document by its text', () => {
  const cache = createDocumentCache();
  const [a, b] = [parse('{a}'), parse('{b}')];
  cache.set('{a}', a);
  cache.set('{b}', b);
  expect([cache.get('{a}'), cache.get('{b}'), cache.get('{c}')]).toEqual([a, b, undefined]);
});

test('keeps the largest document that the limits allow, and no larger one', () => {
  const cache = createDocumentCache();
  for (const text of [fields(2_998), fields(5_000), `{a} #${'x'.repeat(2_200_000)}`]) cache.set(text, parse(text));
  expect(cache.get(fields(2_998))).toBeDefined();
  expect(cache.get(fields(5_000))).toBeUndefined();
  expect(cache.get(`{a} #${'x'.repeat(2_200_000)}`)).toBeUndefined();
});

test('keeps the documents that were used last, as many as the memory allows', () => {
  const cache = createDocumentCache();
  const documents = Array.from({ length: 40 }, (_, index) => fields(1_100 + index));
  for (const text of documents) {
    cache.set(text, parse(text));
    cache.get(documents[0] ?? '');
  }
  const kept = documents.filter((text) => cache.get(text) !== undefined);
  expect(kept[0]).toBe(documents[0]);
  expect(kept.slice(1)).toEqual(documents.slice(1 - kept.length));
  // Each takes about a mebibyte.
  expect(kept.length * 2 ** 20).toBeGreaterThan(documentCacheBytes / 2);
  expect(kept.length * 2 ** 20).toBeLessThan(documentCacheBytes * 2);
});
