import { parse } from 'graphql';
import { afterEach, vi } from 'vitest';
import { createDocumentCache, Documents, documentCacheBytes } from '../../../src/http/documents.ts';
import { expect, offFastPath, testOfFile as test } from '../../support/gateway.ts';
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
} as const;

test.for(Object.entries(cases))(
  '%s is read and checked once, whichever path it takes',
  async ([, [body, first, again]], { gateway, upstream }) => {
    upstream.script(healthyReply);
    const send = () =>
      gateway.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', authorization: 'Bearer a-key' },
        body: JSON.stringify(body),
      });
    for (const done of [first, again]) {
      const before = await directs(gateway);
      read.mockClear();
      check.mockClear();
      await (await send()).text();
      const isDirect = (await directs(gateway)) > before;
      expect([read.mock.calls.length, check.mock.calls.length, isDirect]).toEqual(done);
    }
  },
);

const fields = (count: number): string => `{ ${'a '.repeat(count)}}`;

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
