import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startGatewayProcess } from './gateway-process.ts';

const mebibyte = 1_048_576;
const block = Buffer.alloc(65_536, '+13125550123,local,MRC,Local Number,1.00\r\n');

function* blocksOf(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
}

test('an export passes a report of any size through in bounded memory', { timeout: 120_000 }, async () => {
  let size = 0;
  await using gateway = await startGatewayProcess({
    script: () => ({
      act: (res) => void Readable.from(blocksOf(size)).pipe(res.writeHead(200, { 'content-type': 'text/csv' })),
    }),
  });
  const peaks = [gateway.peakBytes()];
  for (const mebibytes of [100, Number(process.env['REPORT_MEBIBYTES'] ?? 200)]) {
    size = mebibytes * mebibyte;
    const headers = { authorization: 'Bearer test-key', 'accept-encoding': 'identity' };
    const report = await fetch(`${gateway.url}/exports/charges-breakdown.csv?startDate=2026-10-01`, { headers });
    let length = 0;
    for await (const chunk of report.body ?? []) length += chunk.length;
    expect(length).toBe(size);
    peaks.push(gateway.peakBytes());
  }
  const [atStart = 0, afterFirst = 0, afterSecond = 0] = peaks;
  // V8 lets about 64 MiB of read buffers become garbage before it collects them, whatever the size of the report: that much comes with
  // the first one, and a larger one adds next to nothing.
  expect(afterSecond - afterFirst).toBeLessThan(60 * mebibyte);
  expect(afterSecond - atStart).toBeLessThan(128 * mebibyte);
});
