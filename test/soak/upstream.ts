import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/sandbox/random.ts';
import { goodReply } from '../fuzz/moody-upstream.ts';
import {
  cutOff,
  hang,
  hangUp,
  listenerOf,
  refusal,
  type Reply,
  type Script,
  type SeenRequest,
} from '../support/scripted-upstream.ts';

// A program of its own: an upstream that fails in every way it can, at times with every call, and sometimes is gone.
const random = new Random(process.env['SOAK_SEED'] ?? 'soak');
const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };
const csv = { 'content-type': 'text/csv' };

const isReport = ({ query }: SeenRequest): boolean => query['format'] === 'csv';
const typeOf = (request: SeenRequest): Readonly<Record<string, string>> => (isReport(request) ? csv : json);

const well: Script = (request) => {
  if (!isReport(request)) return goodReply(request, random);
  const blocks = random.int(1, 200);
  return { act: (res) => sendReport(res, blocks) };
};

const block = '+13125550123,local,MRC,Local Number,1.00\r\n'.repeat(250);

/** A report of so many blocks of ten kilobytes, at the pace of its reader. */
function sendReport(res: ServerResponse, blocks: number): void {
  res.writeHead(200, csv);
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

function wellAfter(least: number, most: number): Script {
  return async (request) => {
    await sleep(random.int(least, most));
    return well(request);
  };
}

const drip: Script = (request) => ({
  act: (res) => {
    res.writeHead(200, typeOf(request));
    const timer = setInterval(() => res.write(' '), 50);
    res.once('close', () => clearInterval(timer));
  },
});

const half: Script = (request) =>
  isReport(request)
    ? cutOff(block, { headers: csv })
    : cutOff('{"data":[{"id":"', { headers: { ...json, 'content-length': '10000' } });

const huge: Reply = {
  act: (res) => {
    res.writeHead(200, json);
    const chunk = Buffer.alloc(65_536, ' ');
    const produce = (): void => {
      while (!res.destroyed && res.write(chunk));
    };
    res.on('drain', produce);
    produce();
  },
};

const broken: readonly Reply[] = [
  hangUp,
  huge,
  hang,
  { status: 429, text: '', headers: { 'retry-after': '1' } },
  { status: 429, text: '', headers: json },
  refusal(500, '10007', 'Unexpected'),
  { status: 502, text: '<html>bad gateway</html>', headers: html },
  { status: 503, text: '', headers: { 'retry-after': '0' } },
  refusal(401, '10009', 'No'),
  { status: 302, text: '', headers: { location: 'http://127.0.0.1:9/' } },
  { text: '<html>hello</html>', headers: html },
  { text: '{"data":', headers: json },
  { json: { data: [null, 7, {}], meta: [] } },
];

const failures: readonly Script[] = [wellAfter(200, 1_500), drip, half, ...broken.map((reply) => () => reply)];

const moods: Readonly<Record<string, () => Script>> = {
  well: () => wellAfter(0, 5),
  moody: () => (random.chance(0.3) ? random.pick(failures) : wellAfter(0, 50)),
  ill: () => random.pick(failures),
};
// The weather changes every second.
const weather = ['well', 'moody', 'moody', 'ill', 'moody', 'well', 'moody', 'gone', 'moody', 'moody'];
let today = 'well';

const server = createServer(listenerOf((request) => (moods[today]?.() ?? wellAfter(0, 5))(request)));

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
