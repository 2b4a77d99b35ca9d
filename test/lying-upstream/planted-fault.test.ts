import { afterEach, expect, test, vi } from 'vitest';
import { CallBudget } from '../../src/paging/call-budget.ts';
import { boundsOfPage } from '../../src/paging/page-cover.ts';
import { judge, nothingShown } from '../../src/paging/page-judgement.ts';
import { PageLedger } from '../../src/paging/page-ledger.ts';
import { runModel } from './model.ts';

// The judgement of pages as it is, but such that a test can take it away.
vi.mock(import('../../src/paging/page-judgement.ts'), async (load) => {
  const original = await load();
  return { ...original, judge: vi.fn<typeof judge>(original.judge) as unknown as typeof judge };
});
afterEach(() => {
  vi.mocked(judge).mockReset();
  vi.restoreAllMocks();
});

const run = (): Promise<unknown> => runModel({ seed: 'planted', numbers: Array(1_000).keys() });

test('the model accepts a gateway that checks what pages report', async () => {
  await expect(run()).resolves.toBeDefined();
});

test('the model finds a gateway that believes a page_size larger than it asked for', async () => {
  const checked = vi.mocked(judge).getMockImplementation() as typeof judge;
  vi.mocked(judge).mockImplementation((page, answer, pageLimit, served) => {
    const { pageSize, totalResults: total } = answer;
    if (pageSize === null || pageSize <= page.size) return checked(page, answer, pageLimit, served);
    return { ...nothingShown, learned: { size: pageSize, isOwn: true }, total };
  });
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});

test('the model finds a gateway that takes a short page for all rows of its positions', async () => {
  vi.mocked(judge).mockImplementation((page, { rows, totalResults: total }) => ({
    ...nothingShown,
    part: { ...boundsOfPage(page), rows },
    total,
  }));
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});

test('the model finds a gateway that does not check where pages join', async () => {
  const checked = vi.mocked(judge).getMockImplementation() as typeof judge;
  vi.mocked(judge).mockImplementation((page, answer, pageLimit, served) => {
    const judgement = checked(page, answer, pageLimit, served);
    return { ...judgement, part: judgement.part ?? judgement.guess?.part ?? null, guess: null, isUnsure: false };
  });
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});

test('the model finds a gateway that does not compare the rows of its pages', async () => {
  vi.spyOn(PageLedger.prototype, 'isMixed', 'get').mockReturnValue(false);
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});

test('the model finds a search that has no budget', async () => {
  vi.spyOn(CallBudget.prototype, 'spend').mockImplementation(() => {});
  await expect(run()).rejects.toThrow('LYING_SEED=planted');
});
