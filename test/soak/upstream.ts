import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Random } from '../../src/sandbox/random.ts';
import { goodReply } from '../fuzz/moody-upstream.ts';
import type { SeenRequest } from '../support/scripted-upstream.ts';

// A program of its own: an upstream that fails in every way it can, now and then all the time, and sometimes is not there.
const random = new Random(process.env['SOAK_SEED'] ?? 'soak');
const json = { 'content-type': 'application/json' };

type Mood = (res: ServerResponse, request: SeenRequest) => void;

const well: Mood = (res, request) => {
  if (request.query['format'] === 'csv') return sendReport(res, random.int(1, 200));
  const { status = 200, headers = {}, json: body, text } = goodReply(request, random);
  res.writeHead(status, { ...json, ...headers });
  return res.end(body === undefined ? text : JSON.stringify(body));
};

const block = '+13125550123,local,MRC,Local Number,1.00\r\n'.repeat(250);

/** A report of so many blocks of ten kilobytes, at the pace of its reader. */
function sendReport(res: ServerResponse, blocks: number): void {
  res.writeHead(200, { 'content-type': 'text/csv' });
  let left = blocks;
  const produce = (): void => {
    while (left > 0 && !res.destroyed) {
      left--;
      if (!res.write(block)) return;
    }
    if (left === 0) res.end();
  };
  res.on('drain', produce);
  produce();
}

const later =
  (mood: Mood, least: number, most: number): Mood =>
  (res, request) => {
    const timer = setTimeout(() => mood(res, request), random.int(least, most));
    res.once('close', () => clearTimeout(timer));
  };

const drip: Mood = (res, { query }) => {
  res.writeHead(200, query['format'] === 'csv' ? { 'content-type': 'text/csv' } : json);
  const timer = setInterval(() => res.write(' '), 50);
  res.once('close', () => clearInterval(timer));
};

const say =
  (status: number, text: string, headers: Readonly<Record<string, string>> = json): Mood =>
  (res) => {
    res.writeHead(status, headers);
    res.end(text);
  };

const half: Mood = (res, { query }) => {
  if (query['format'] === 'csv') {
    res.writeHead(200, { 'content-type': 'text/csv' });
    res.write(block, () => res.destroy());
    return;
  }
  res.writeHead(200, { ...json, 'content-length': 10_000 });
  res.write('{"data":[{"id":"', () => res.destroy());
};

const huge: Mood = (res) => {
  res.writeHead(200, json);
  const chunk = Buffer.alloc(65_536, ' ');
  const produce = (): void => {
    while (!res.destroyed && res.write(chunk));
  };
  res.on('drain', produce);
  produce();
};

const nothing: Mood = () => {};

const failures: readonly Mood[] = [
  later(well, 200, 1_500),
  drip,
  (res) => res.destroy(),
  half,
  huge,
  nothing,
  say(429, '', { 'retry-after': '1' }),
  say(429, ''),
  say(500, '{"errors":[{"code":"10007","title":"Unexpected"}]}'),
  say(502, '<html>bad gateway</html>', { 'content-type': 'text/html' }),
  say(503, '', { 'retry-after': '0' }),
  say(401, '{"errors":[{"code":"10009","title":"No"}]}'),
  say(302, '', { location: 'http://127.0.0.1:9/' }),
  say(200, '<html>hello</html>', { 'content-type': 'text/html' }),
  say(200, '{"data":'),
  say(200, '{"data":[null,7,{}],"meta":[]}'),
];

const moods: Readonly<Record<string, () => Mood>> = {
  well: () => later(well, 0, 5),
  moody: () => (random.chance(0.3) ? random.pick(failures) : later(well, 0, 50)),
  ill: () => random.pick(failures),
};
// The weather changes every second.
const weather = ['well', 'moody', 'moody', 'ill', 'moody', 'well', 'moody', 'gone', 'moody', 'moody'];
let today = 'well';

const server = createServer((req, res) => {
  const url = new URL(req.url ?? '/', 'http://upstream.invalid');
  const request: SeenRequest = {
    path: url.pathname.replace(/^\/v2/, ''),
    rawQuery: url.search.slice(1),
    query: Object.fromEntries(url.searchParams),
    headers: req.headers,
  };
  (moods[today] ?? moods['well'])?.()(res, request);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  let second = 0;
  setInterval(() => {
    const wasGone = today === 'gone';
    today = weather[second++ % weather.length] ?? 'well';
    if (today === 'gone') {
      server.close();
      server.closeAllConnections();
    } else if (wasGone) {
      server.listen(port, '127.0.0.1');
    }
  }, 1_000);
  console.log(`http://127.0.0.1:${port}`);
});
