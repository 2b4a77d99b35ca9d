import { expect, test } from 'vitest';
import { CsvDecoder } from '../../../src/upstream/response/csv-report.ts';
import { decodedPiece } from '../../../src/bounds.ts';
import { WorkSlices } from '../../../src/time-slices.ts';
import { ReceivedBody, textInSlices } from '../../../src/upstream/response/received-body.ts';

/** Decodes what says nothing of its charset. */
function decoder(): (piece: Buffer, isLast: boolean) => string {
  const csv = new CsvDecoder({ headers: {} });
  return (piece, isLast) => csv.decode(piece, isLast);
}

test('a long text is decoded as at once, whatever stands where one piece ends and the next begins', async () => {
  for (const character of ['a', 'é', '語', '😀'])
    for (let before = 0; before <= 4; before++) {
      const text = 'x'.repeat(decodedPiece - before) + character.repeat(decodedPiece / 2);
      expect((await textInSlices(Buffer.from(text), new WorkSlices(), decoder())) === text).toBe(true);
    }
  expect(await textInSlices(Buffer.from(''), new WorkSlices(), decoder())).toBe('');
});

test('a text that is not of its charset is refused, wherever that shows', async () => {
  for (const byte of [0x80, 0xbf, 0xc0, 0xff]) {
    const bytes = Buffer.alloc(2 * decodedPiece + 5, 'x');
    bytes[decodedPiece + 3] = byte;
    await expect(textInSlices(bytes, new WorkSlices(), decoder())).rejects.toMatchObject({
      code: 'UPSTREAM_BAD_RESPONSE',
    });
  }
});

test('a body is the same in one piece as in several', () => {
  const body = new ReceivedBody([Buffer.from('ab'), Buffer.from(''), Buffer.from('cde')]);
  const target = new Uint8Array(8).fill(0x2e);
  body.copyTo(target, 2);
  expect([body.length, Buffer.from(target).toString()]).toEqual([5, '..abcde.']);
});

/** Slices that are over at each step. */
class OverSlices extends WorkSlices {
  rests = 0;

  override isOver(): boolean {
    return true;
  }

  override async rest(): Promise<void> {
    this.rests++;
  }
}

test('a body of several pieces is put together in slices of time, and one of a single piece is not copied', async () => {
  const slices = new OverSlices();
  const pieces = ['ab', 'c', 'de'].map((text) => Buffer.from(text));
  const whole = await new ReceivedBody(pieces).gather(slices);
  expect([whole.toString(), slices.rests]).toEqual(['abcde', 3]);
  expect(await new ReceivedBody(pieces.slice(0, 1)).gather(slices)).toBe(pieces[0]);
  expect(slices.rests).toBe(3);
});
