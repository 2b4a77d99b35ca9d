import { expect, test } from 'vitest';
import { WriteBatch } from '../../../src/http/response/response-writer.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('what is ready together is sent together, in its order, and what comes meanwhile behind it', async () => {
  const batch = new WriteBatch();
  const sent: string[] = [];
  batch.add(() => {
    sent.push('first');
    batch.add(() => void sent.push('later'));
  });
  batch.add(() => void sent.push('second'));
  expect(sent).toEqual([]);
  await turn();
  expect(sent).toEqual(['first', 'second']);
  await turn();
  expect(sent).toEqual(['first', 'second', 'later']);
});

test('one that throws keeps no other from being sent', async () => {
  const batch = new WriteBatch();
  const sent: number[] = [];
  const thrown: unknown[] = [];
  const catchAll = (error: unknown): void => void thrown.push(error);
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', catchAll);
  try {
    for (let index = 0; index < 6; index++)
      batch.add(() => {
        if (index % 3 === 0) throw new Error(String(index));
        sent.push(index);
      });
    await expect.poll(() => sent).toEqual([1, 2, 4, 5]);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  expect(thrown.map(String)).toEqual(['Error: 0', 'Error: 3']);
});
