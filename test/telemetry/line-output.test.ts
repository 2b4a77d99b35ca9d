import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  LineOutput,
  type WriteBytes,
  logPieceBytes,
  logDelayMs,
  unwrittenLogBytes,
  logRetryMs,
} from '../../src/telemetry/log.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** What the descriptors do: how many bytes of a write they take, or why they take none. */
type Disk = (length: number) => number | string;

function setUp(disk: { now: Disk }) {
  const text = { out: '', err: '' };
  const writes: number[] = [];
  const writeBytes: WriteBytes = (descriptor, bytes, done) => {
    const outcome = descriptor === 1 ? disk.now(bytes.length) : bytes.length;
    const count = typeof outcome === 'number' ? outcome : 0;
    text[descriptor === 1 ? 'out' : 'err'] += Buffer.from(bytes.subarray(0, count)).toString();
    if (descriptor === 1) writes.push(bytes.length);
    done(typeof outcome === 'number' ? null : Object.assign(new Error('planted'), { code: outcome }), count);
  };
  return { output: new LineOutput(1, writeBytes), text, writes };
}

const all: Disk = (length) => length;
const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('every line is written once, whole and in order, whatever is written of it by whom', async () => {
  const errnos = ['ENOSPC', 'EIO', 'EFBIG', 'EDQUOT', 'EPIPE', 'EAGAIN', 'EINTR', 'EBADF', 'ENXIO'];
  const step = fc.record({
    lines: fc.array(fc.string({ maxLength: 9 }).map((line) => line.replaceAll('\n', ' '))),
    disk: fc.oneof(fc.constantFrom(...errnos), fc.nat(30)),
    passes: fc.constantFrom(0, logDelayMs, logRetryMs),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const disk: { now: Disk } = { now: all };
      const { output, text } = setUp(disk);
      const sent: string[] = [];
      let hasFailed = false;
      for (const { lines, disk: outcome, passes } of steps) {
        let room = typeof outcome === 'number' ? outcome : 0;
        disk.now = (length) => {
          const taken = Math.min(room, length);
          room -= taken;
          if (taken > 0) return taken;
          const reason = typeof outcome === 'string' ? outcome : 'ENOSPC';
          hasFailed ||= !['EAGAIN', 'EINTR'].includes(reason);
          return reason;
        };
        for (const line of lines) output.write(`${line}\n`);
        sent.push(...lines);
        await passed(passes);
      }
      disk.now = all;
      await passed(logRetryMs + logDelayMs);
      output.write('the end\n');
      const isFlushed = new Promise<void>((resolve) => output.flush(resolve));
      await passed(logRetryMs);
      await isFlushed;
      expect(text.out.split('\n')).toEqual([...sent, 'the end', '']);
      expect(output.lost).toBe(0);
      expect(text.err.split('\n').length - 1).toBe(hasFailed ? 1 : 0);
    }),
  );
});

test('lines that nobody reads wait in bounded memory, and are written when somebody does', async () => {
  const disk: { now: Disk } = { now: () => 'EAGAIN' };
  const { output, text, writes } = setUp(disk);
  // As workers write: several lines at a time.
  const lines = `${'x'.repeat(logPieceBytes)}\ny\n`;
  const count = Math.ceil((2 * unwrittenLogBytes) / lines.length);
  for (let written = 0; written < count; written++) output.write(lines);
  await passed(logRetryMs);
  expect(text.err).toMatch(/^The log cannot be written \(nobody reads it\): [^\n]+\n$/);
  expect((output.lost / 2) * lines.length).toBeGreaterThan(unwrittenLogBytes * 0.9);
  disk.now = all;
  // A pipe is read again soon.
  await passed(logRetryMs / 50);
  expect(text.out.length).toBe((count - output.lost / 2) * lines.length);
  // There is room again. Lines go together.
  const before = [output.lost, writes.length + 2];
  output.write(lines);
  for (const line of ['some\n', 'further\n']) output.write(line);
  await passed(logDelayMs);
  expect(text.out).toMatch(/\ny\nsome\nfurther\n$/);
  expect([output.lost, writes.length]).toEqual(before);
});

test.each([
  ['ends in time', 5, 20, false],
  ['takes longer', 20, 5, true],
  ['has ended', 0, 5, false],
])('a write that %s: it takes %i ms where it may take %i', async (_, takesMs, mayTakeMs, held) => {
  const output = new LineOutput(1, (_descriptor, bytes, done) => {
    setTimeout(() => done(null, bytes.length), takesMs);
  });
  output.write('line\n');
  output.flush(() => {});
  await passed(0);
  const isHeld = output.isHeld(mayTakeMs);
  await passed(mayTakeMs);
  expect(await isHeld).toBe(held);
});
