import { afterEach, describe, expect, test, vi } from 'vitest';
import { collectedSoonerMs, largeBody, parsedSlice, youngShare } from '../../../src/bounds.ts';
import { createCall } from '../../../src/upstream/call.ts';
import { getChargesBreakdown } from '../../../src/resources/charges-breakdown.ts';
import { ReceivedBody } from '../../../src/upstream/response/received-body.ts';
import { createResponseReader } from '../../../src/upstream/response/response-reader.ts';
import { YoungObjects } from '../../../src/upstream/response/young-objects.ts';
import { startProgram } from '../../support/program.ts';
import { chargesBreakdownRecord, chargesBreakdownResultRecord } from '../../support/records.ts';

afterEach(() => vi.useRealTimers());

async function timesSoonerOf(rows: number): Promise<{ readonly times: number; readonly bytes: number }> {
  const results = Array.from({ length: rows }, (_, index) => chargesBreakdownResultRecord({ tn: `+1312${index}` }));
  const body = new ReceivedBody([Buffer.from(JSON.stringify({ data: chargesBreakdownRecord({ results }) }))]);
  let times = 0;
  const reader = createResponseReader({ collectSooner: () => times++ });
  const call = createCall(getChargesBreakdown, { startDate: '2026-10-01' });
  const report = await reader.read({ status: 200, headers: {}, body }, call, getChargesBreakdown.read, 'test-key');
  expect(report.results).toHaveLength(rows);
  return { times, bytes: body.length };
}

describe('young objects', () => {
  test('are collected sooner at each slice of a large report, and as usual at a small one', async () => {
    const [small, large] = [await timesSoonerOf(500), await timesSoonerOf(12_000)];
    expect(small.bytes).toBeLessThan(largeBody);
    expect(small.times).toBe(0);
    expect(large.bytes).toBeGreaterThan(largeBody);
    expect(large.times).toBeGreaterThanOrEqual(Math.ceil(large.bytes / parsedSlice) - 1);
  });

  test('are collected as usual again a while after the last slice', () => {
    vi.useFakeTimers();
    const flags: string[] = [];
    const young = new YoungObjects((flag) => flags.push(flag));
    const sooner = `--minor-gc-task-trigger=${youngShare.whileReading}`;
    const usual = `--minor-gc-task-trigger=${youngShare.usual}`;
    young.collectSooner();
    vi.advanceTimersByTime(collectedSoonerMs - 1);
    young.collectSooner();
    vi.advanceTimersByTime(collectedSoonerMs - 1);
    expect(flags).toEqual([sooner, sooner]);
    vi.advanceTimersByTime(1);
    expect(flags).toEqual([sooner, sooner, usual]);
    young.collectSooner();
    vi.advanceTimersByTime(collectedSoonerMs);
    expect(flags.slice(3)).toEqual([sooner, usual]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are collected sooner by V8 where it is told to', { timeout: 60_000 }, async () => {
    await using program = startProgram('test/upstream/response/young-objects.ts', {});
    const [, usual, sooner] = await program.printed(/usual: (\d+), sooner: (\d+)/);
    expect(Number(sooner)).toBeGreaterThan(2 * Number(usual));
  });
});
