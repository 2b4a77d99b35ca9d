import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { strangersKey } from './key.ts';

// Loaded before a gateway, with the path of a file behind a question mark. The file names the fault that the gateway has at the
// moment, which the attack must find: one process has one fault after the other. None of this is in the gateway.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));

// Requests of the attack itself have a User-Agent, or the good caller's key.
const isOfStranger = ({ headers }: IncomingMessage): boolean =>
  headers['user-agent'] === undefined && headers.authorization?.includes('good-caller') !== true;
const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);
const kept: unknown[] = [];
// Responses to tool calls of the good caller.
const goodCalls: ServerResponse[] = [];
let isSpoilt = false;

/** Computes for so long. On a busy machine that takes longer by the clock, and costs the same. */
function hold(ms: number): void {
  const before = process.threadCpuUsage();
  for (let spentMs = 0; spentMs < ms;) {
    const { user, system } = process.threadCpuUsage(before);
    spentMs = (user + system) / 1_000;
  }
}

/** Harms some requests of strangers; true where it has responded itself. */
type Harm = (req: IncomingMessage, res: ServerResponse) => boolean | void;

const harms: Readonly<Record<string, Harm>> = {
  none: () => {},
  dies({ headers }) {
    if (headers.accept?.includes('event-stream') === true) void nextImmediate().then(() => process.exit(1));
  },
  rejects({ headers }) {
    if (headers.accept?.includes('event-stream') === true) void Promise.reject(new Error('planted'));
  },
  stalls(req) {
    if (lengthOf(req) > 50_000) hold(1_500);
  },
  // 60 ms for a quarter of the largest body, 32 times that for all of it: clear even where code that is still cold costs as much.
  'is more than linear': (req) => hold((lengthOf(req) / 42_500) ** 2.5),
  keeps() {
    kept.push(new Float64Array(50_000));
  },
  'calls the upstream without a key': ({ method }) => {
    if (method === 'POST') void fetch(`${process.env['UPSTREAM_BASE_URL']}/ai/missions`).catch(() => {});
  },
  'spoils responses of others': ({ headers }) => {
    isSpoilt ||= headers.accept?.includes('event-stream') === true;
  },
  'asks the upstream for an empty page': ({ method }) => {
    const headers = { authorization: `Bearer ${strangersKey}` };
    if (method === 'POST')
      void fetch(`${process.env['UPSTREAM_BASE_URL']}/ai/missions?page[size]=0`, { headers }).catch(() => {});
  },
  'asks the upstream for a reversed range': ({ method }) => {
    const headers = { authorization: `Bearer ${strangersKey}` };
    const range = 'filter[started_at][gte]=2026-10-02T00:00:00Z&filter[started_at][lte]=2026-10-02T01:00:00%2B02:00';
    if (method === 'POST')
      void fetch(`${process.env['UPSTREAM_BASE_URL']}/webhook_deliveries?${range}`, { headers }).catch(() => {});
  },
  'takes every method': ({ method = '' }, res) =>
    ['GET', 'HEAD', 'POST'].includes(method) ? undefined : answer(res, 406, { errors: [] }),
  'ends the tool calls of others': ({ url }) => {
    if (url === '/mcp') for (const res of goodCalls.splice(0)) res.destroy();
  },
  'reveals the key': ({ headers, method }, res) => {
    if (method === 'POST') res.setHeader('x-debug', headers.authorization ?? '');
  },
  'reveals its inside': ({ method }, res) => {
    if (method === 'POST') return answer(res, 400, { errors: [{ message: new Error('planted').stack }] });
    return undefined;
  },
  fails: ({ method }, res) => (method === 'POST' ? answer(res, 500, { errors: [] }) : undefined),
  'responds in a shape of its own': ({ method }, res) =>
    method === 'POST' ? answer(res, 400, { errors: [{ message: 'no', extensions: { code: 'NO' } }] }) : undefined,
  'reckons wrongly': ({ method }, res) => {
    const totals = { cost: '1.10', byCostType: [{ cost: '1.00' }, { cost: '0.01' }], byServiceOwner: null };
    return method === 'POST' ? answer(res, 200, { data: { chargesBreakdown: { totals } } }) : undefined;
  },
  'sends too much': ({ method }, res) =>
    method === 'POST' ? answer(res, 200, { data: 'x'.repeat(300_000) }) : undefined,
};

function answer(res: ServerResponse, status: number, body: unknown): true {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
  return true;
}

function plantedHarm(): Harm {
  const name = readFileSync(file, 'utf8');
  const harm = harms[name];
  if (harm === undefined) throw new Error(`No fault is named "${name}".`);
  return harm;
}

// It is called on a server.
// oxlint-disable-next-line typescript/unbound-method
const emit: (this: http.Server, event: string, ...args: unknown[]) => boolean = http.Server.prototype.emit;
http.Server.prototype.emit = function (this: http.Server, event: string, ...args: unknown[]) {
  if (event !== 'request') return emit.call(this, event, ...args);
  const [req, res] = args as [IncomingMessage, ServerResponse];
  if (!isOfStranger(req) && req.url === '/mcp') goodCalls.push(res);
  if (isOfStranger(req) ? plantedHarm()(req, res) === true : isSpoilt && req.url === '/graphql') {
    if (!res.writableEnded) answer(res, 200, { data: null });
    return true;
  }
  return emit.call(this, event, ...args);
};
