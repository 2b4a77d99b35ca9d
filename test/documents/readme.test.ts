import { expect, test } from 'vitest';
import { filledPage, pagesWithResults, readResults } from '../../bench/results.ts';
import { read } from './page.ts';

test.for(pagesWithResults)('the figures of %s are those of bench/results.json', (path) => {
  const page = read(path);
  expect(filledPage(page, readResults())).toBe(page);
});
