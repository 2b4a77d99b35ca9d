import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { documentCacheBytes } from '../../src/bounds.ts';
import { createDocumentCache } from '../../src/http/document-cache.ts';

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
