import { expect, test, vi } from 'vitest';
import { logDelayMs, logPieceBytes, unwrittenLogBytes } from '../../src/bounds.ts';
import { createLogPipe } from '../../src/workers/worker-log.ts';

test('lines are sent in pieces of whole lines, and the last ones soon', () => {
  vi.useFakeTimers();
  try {
    const sent: string[] = [];
    const pipe = createLogPipe(async (lines) => void sent.push(lines));
    const line = `${'x'.repeat(999)}\n`;
    for (let written = 0; written <= logPieceBytes; written += line.length) pipe.write(line);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(logDelayMs);
    expect(sent).toHaveLength(2);
    expect(sent.join('').length % line.length).toBe(0);
    expect(sent.every((piece) => piece.endsWith('\n'))).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('where lines are not taken over, further ones are dropped', () => {
  let bytes = 0;
  const pipe = createLogPipe((lines) => {
    bytes += lines.length;
    return new Promise(() => {});
  });
  const line = 'x'.repeat(logPieceBytes);
  for (let written = 0; written < unwrittenLogBytes * 2; written += line.length) pipe.write(line);
  expect(bytes).toBeLessThanOrEqual(unwrittenLogBytes);
  expect(bytes).toBeGreaterThan(unwrittenLogBytes / 2);
});

test('a flush ends when all lines have been taken over', async () => {
  const taking = Promise.withResolvers<void>();
  const pipe = createLogPipe(() => taking.promise);
  pipe.write('a line\n');
  let isDone = false;
  const flushed = new Promise<void>((resolve) => pipe.flush(resolve)).then(() => (isDone = true));
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  taking.resolve();
  await flushed;
});
