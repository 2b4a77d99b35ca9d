import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyChunks, chunksTogether, smallChunk } from '../../../src/body-chunks.ts';

test('chunks of any sizes stay in their order, and small ones become few', () => {
  const size = fc.oneof(fc.constantFrom(0, 1, smallChunk, smallChunk + 1, 3 * smallChunk), fc.nat(40));
  const run = fc.tuple(size, fc.constantFrom(1, 2, chunksTogether - 1, chunksTogether, chunksTogether + 1));
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
      const sizes = runs.flatMap(([bytes, times]) => Array<number>(times).fill(bytes));
      const given = sizes.map((bytes, index) => Buffer.alloc(bytes, index));
      const chunks = new BodyChunks();
      for (const chunk of given) chunks.add(chunk);
      const whole = Buffer.concat(given);
      expect(Buffer.concat(chunks.all).equals(whole)).toBe(true);
      expect(chunks.whole.equals(whole)).toBe(true);
      const most = sizes.length / chunksTogether + chunksTogether + whole.length / smallChunk;
      expect(chunks.all.length).toBeLessThanOrEqual(most);
    }),
  );
});
