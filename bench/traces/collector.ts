import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A collector that takes OTLP as JSON and keeps nothing of it. GET /<name> returns how many spans came to /<name>/v1/traces since the
// last count.
const spans = new Map<string, number>();
const mark = Buffer.from('"spanId":');

/** How often the mark stands in a body. */
function countIn(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) count++;
  return count;
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const [, name = ''] = (req.url ?? '').split('/');
    const counted = spans.get(name) ?? 0;
    const isCount = req.method === 'GET';
    spans.set(name, isCount ? 0 : counted + countIn(Buffer.concat(chunks)));
    res.end(isCount ? String(counted) : '{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`The collector listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
