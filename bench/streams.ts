import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../src/sandbox/server.ts';
import { contenders } from './contenders.ts';
import { cpuMicrosOf, residentOf } from './measure/process-tree.ts';
import { startProgram } from './measure/program.ts';
import { writeJson } from './report/results.ts';

// `npm --prefix bench run streams` measures what live deliveries cost over each transport: memory of a stream that waits, and CPU of an
// event.

const callers = 10;
const streamsOfCaller = 200;
const idleSeconds = 10;
const busySeconds = 20;
// So many deliveries come in a second.
const haste = 10;
const perSecond = haste / 5;

const payload = { query: 'subscription { webhookDeliveries { id status startedAt } }' };

/** Begins a stream, and counts its events. */
type Follow = (origin: string, key: string, count: (events: number) => void) => Promise<void>;

/** Over HTTP; each event has the mark once. */
const overHttp =
  (accept: string, mark: string): Follow =>
  (origin, key, count) => {
    const headers = { accept, 'content-type': 'application/json', authorization: `Bearer ${key}` };
    return new Promise((resolve, reject) => {
      const begun = (res: IncomingMessage): void => {
        if (res.statusCode !== 200) return reject(new Error(`a stream has status ${res.statusCode}`));
        res.setEncoding('latin1').on('data', (text: string) => count(text.split(mark).length - 1));
        resolve();
      };
      const sent = request(`${origin}/graphql`, { method: 'POST', agent: false, headers }, begun);
      sent.once('error', reject).end(JSON.stringify(payload));
    });
  };

const overWebSocket: Follow = (origin, key, count) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const send = (message: object): void => socket.send(JSON.stringify(message));
    socket.addEventListener('error', () => reject(new Error('a socket failed')));
    socket.addEventListener('open', () =>
      send({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }),
    );
    socket.addEventListener('message', ({ data }) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === 'connection_ack') {
        send({ id: '1', type: 'subscribe', payload });
        resolve();
      } else if (type === 'next') count(1);
      else if (type === 'ping') send({ type: 'pong' });
    });
  });

const transports: Readonly<Record<string, Follow>> = {
  'server-sent events': overHttp('text/event-stream', 'event: next'),
  multipart: overHttp('multipart/mixed;subscriptionSpec="1.0"', '{"payload":{'),
  WebSocket: overWebSocket,
};

async function measure(follow: Follow) {
  let isBusy = false;
  let started = 0;
  const uptime = (): number => (isBusy ? (performance.now() - started) * haste : 0);
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', now: () => Date.UTC(2026, 10, 1) + uptime() });
  const { flags = [], file } = contenders.find(({ name }) => name === 'switchboard') ?? { file: '' };
  const gateway = await startProgram({
    args: [...flags, file],
    env: { UPSTREAM_BASE_URL: sandbox.baseUrl, EXPLORER: 'false' },
  });
  let events = 0;
  const count = (more: number): void => void (events += more);
  await follow(gateway.origin, 'warm-up', count);
  await sleep(3_000);
  const before = residentOf(gateway.pid);
  for (let caller = 0; caller < callers; caller++)
    await Promise.all(Array.from({ length: streamsOfCaller }, () => follow(gateway.origin, `caller-${caller}`, count)));
  await sleep(3_000);
  const streams = callers * streamsOfCaller;
  const kibibytesPerStream = ((residentOf(gateway.pid) - before) * 1_024) / streams;

  const idleFrom = cpuMicrosOf(gateway.pid);
  await sleep(idleSeconds * 1_000);
  const idleMicros = cpuMicrosOf(gateway.pid) - idleFrom;
  events = 0;
  isBusy = true;
  started = performance.now();
  const busyFrom = cpuMicrosOf(gateway.pid);
  await sleep(busySeconds * 1_000);
  const busyMicros = cpuMicrosOf(gateway.pid) - busyFrom;
  const idleShare = (idleMicros * busySeconds) / idleSeconds;
  await gateway.stop();
  await sandbox.close();
  return {
    streams,
    lists: callers,
    kibibytesPerStream,
    cpuMicrosPerStreamSecond: idleMicros / idleSeconds / streams,
    cpuMicrosPerEvent: (busyMicros - idleShare) / events,
    eventsPerStreamSecond: perSecond,
    events,
  };
}

const measured: [string, Awaited<ReturnType<typeof measure>>][] = [];
for (const [name, follow] of Object.entries(transports)) measured.push([name, await measure(follow)]);
console.table(Object.fromEntries(measured));
// The capacity is that of server-sent events.
writeJson('streams', { ...measured[0]?.[1], transports: Object.fromEntries(measured) });
process.exit(0);
