import { expect, test } from 'vitest';
import { boundsOfPage, type Page } from '../../src/paging/page-cover.ts';
import { PagesRead } from '../../src/paging/pages-read.ts';
import { ServedSizes, sourceOfRows } from '../../src/paging/source.ts';

test('the next pages of a list are those behind its head that have not been read', async () => {
  const rows = [...Array(45).keys()];
  const source = { ...sourceOfRows(rows, String), sizes: new ServedSizes(10) };
  const read = new PagesRead(source);
  const asked: number[] = [];
  const ask = (pages: readonly Page[]): Promise<void> =>
    read.ask(pages, (page) => {
      asked.push(boundsOfPage(page).from);
      return source.fetchPage(page, false);
    });
  await ask(read.next(4));
  await ask([{ number: 3, size: 10 }]);
  expect(read.headRows).toHaveLength(10);
  await ask(read.next(4));
  expect(asked).toEqual([0, 20, 10, 30, 40]);
  expect(read.next(4)).toEqual([]);
  expect(read.headRows).toEqual(rows);
});
