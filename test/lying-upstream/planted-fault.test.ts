import { afterEach, expect, test, vi } from 'vitest';
import { checkPage } from '../../src/paging/page-check.ts';
import { boundsOfPage } from '../../src/paging/page-cover.ts';
import { PagesRead } from '../../src/paging/pages-read.ts';
import { CallBudget } from '../../src/paging/source.ts';
import { runModel } from './model.ts';

// The check of pages as it is, but such that a test can take it away.
vi.mock(import('../../src/paging/page-check.ts'), async (load) => {
  const original = await load();
  return { ...original, checkPage: vi.fn<typeof checkPage>(original.checkPage) as unknown as typeof checkPage };
});
afterEach(() => {
  vi.mocked(checkPage).mockReset();
  vi.restoreAllMocks();
});

const run = (): Promise<unknown> => runModel({ seed: 'planted', numbers: Array(300).keys() });
const nothing = { isUnclear: false, most: null, isOpen: false, end: null } as const;

test('the model accepts a gateway that checks what pages report', async () => {
  await expect(run()).resolves.toBeDefined();
});

test('the model finds a gateway that takes each page for the one that it asked for', async () => {
  vi.mocked(checkPage).mockImplementation((page, { rows }) => {
    const { from } = boundsOfPage(page);
    return { ...nothing, part: { from, to: from + rows.length, rows } };
  });
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});

test('the model finds a gateway that does not compare the rows of its pages', async () => {
  vi.spyOn(PagesRead.prototype, 'isMixed', 'get').mockReturnValue(false);
  vi.spyOn(PagesRead.prototype, 'isTorn', 'get').mockReturnValue(false);
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});

test('the model finds a search that has no budget', async () => {
  vi.spyOn(CallBudget.prototype, 'spend').mockImplementation(() => {});
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});
