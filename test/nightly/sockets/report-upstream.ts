import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// A program of its own: an upstream whose reports have as many bytes as REPORT_BYTES says, one number after another and
// the last one for good, made as fast as they are read. /produced tells how much of the last report has been made so far.
const sizes = (process.env['REPORT_BYTES'] ?? '').split(',').map(Number);
let total = 0;
const block = Buffer.alloc(65_536, '+13125550123,local,MRC,Local Number,1.00\r\n');
let produced = 0;

function produce(res: ServerResponse): void {
  let isFlowing = true;
  while (isFlowing && produced < total && !res.destroyed) {
    const chunk = block.subarray(0, Math.min(block.length, total - produced));
    produced += chunk.length;
    isFlowing = res.write(chunk);
  }
  if (produced >= total) res.end();
}

const server = createServer((req, res) => {
  if (req.url === '/produced') return res.end(String(produced));
  produced = 0;
  total = (sizes.length > 1 ? sizes.shift() : sizes[0]) ?? 0;
  res.writeHead(200, { 'content-type': 'text/csv' });
  res.on('drain', () => produce(res));
  return produce(res);
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
