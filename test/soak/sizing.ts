import { request, type ClientRequest } from 'node:http';
import { listening, startProgram } from '../support/program.ts';
import { look, type Look } from './look.ts';

// `npx node test/soak/sizing.ts`: what a stream, a polled list and a kept report take of a gateway's memory, roughly, as
// docs/deployment.md says it. Each figure is the growth between two counts, after a garbage collection, divided by their distance.
const streams = [200, 1_200] as const;
const reports = [20, 120] as const;
const settleMs = 6_000;

await using sandbox = startProgram('src/sandbox/main.ts', { PORT: '0' });
const [, baseUrl = ''] = await sandbox.printed(/at (http\S+)/);

const subscription = JSON.stringify({ query: 'subscription { webhookDeliveries { id status } }' });
const report = JSON.stringify({
  query: '{ chargesBreakdown(startDate: "2026-10-01") { results(first: 1) { nodes { tn } } } }',
});

/** Starts a gateway, lets it grow to two counts of something, and prints what one takes. */
async function measure(
  what: string,
  counts: readonly [number, number],
  add: (url: string, n: number) => Promise<void>,
) {
  await using gateway = startProgram('test/soak/gateway.ts', {
    PORT: '0',
    UPSTREAM_BASE_URL: baseUrl,
    LOG_LEVEL: 'error',
    REPORT_CACHE_MS: '600000',
    REPORT_CACHE_BYTES: '536870912',
  });
  const [, url = ''] = await gateway.printed(listening);
  await fetch(`${url}/ready`);
  const seen: Look[] = [];
  let n = 0;
  for (const count of counts) {
    for (; n < count; n++) await add(url, n);
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    seen.push(await look(gateway));
  }
  const growth = (sizeOf: (seen: Look) => number): string => {
    const [few = 0, many = 0] = seen.map(sizeOf);
    return `${Math.round((many - few) / (counts[1] - counts[0]) / 1_024)} KiB`;
  };
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, kept = ''] = /^switchboard_kept_report_bytes (\S+)/m.exec(metrics) ?? [];
  const held = growth(({ heapUsed, external }) => heapUsed + external);
  console.log(`${what}: ${held} held, ${growth(({ rss }) => rss)} resident; ${kept} bytes of reports are kept.`);
}

const open: ClientRequest[] = [];

/** Opens a stream and reads what comes. */
async function follow(url: string, key: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'text/event-stream',
  };
  await new Promise<void>((resolve, reject) => {
    const stream = request(`${url}/graphql`, { method: 'POST', headers, agent: false }, (response) => {
      response.on('error', () => {}).resume();
      resolve();
    });
    stream.on('error', reject).end(subscription);
    open.push(stream);
  });
}

await measure('A stream of a list that is polled already', streams, (url) => follow(url, 'one'));
await measure('A stream with a polled list of its own', streams, (url, n) => follow(url, `caller-${n}`));
await measure('A kept report', reports, async (url, n) => {
  const headers = { authorization: `Bearer caller-${n}`, 'content-type': 'application/json' };
  await (await fetch(`${url}/graphql`, { method: 'POST', headers, body: report })).text();
});
for (const stream of open) stream.destroy();
