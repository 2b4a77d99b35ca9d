import { expect, test } from 'vitest';
import { createDocumentCache } from '../../src/http/document-cache.ts';

const textOf = (index: number, length: number): string => String(index).padEnd(length, '#');

test('gives back what it was given, by its text', () => {
  const cache = createDocumentCache<number>();
  cache.set('{a}', 1);
  cache.set('{b}', 2);
  cache.set('{a}', 3);
  expect([cache.get('{a}'), cache.get('{b}'), cache.get('{c}')]).toEqual([3, 2, undefined]);
});

test('keeps no very long document', () => {
  const cache = createDocumentCache<number>();
  cache.set(textOf(1, 32_769), 1);
  cache.set(textOf(2, 32_768), 2);
  expect([cache.get(textOf(1, 32_769)), cache.get(textOf(2, 32_768))]).toEqual([undefined, 2]);
});

test('keeps a million characters, those that were used last', () => {
  const cache = createDocumentCache<number>();
  for (let index = 0; index < 40; index++) {
    cache.set(textOf(index, 32_768), index);
    cache.get(textOf(0, 32_768));
  }
  const kept = Array.from({ length: 40 }, (_, index) => index).filter(
    (index) => cache.get(textOf(index, 32_768)) !== undefined,
  );
  expect(kept).toEqual([0, ...Array.from({ length: 31 }, (_, index) => index + 9)]);
});
