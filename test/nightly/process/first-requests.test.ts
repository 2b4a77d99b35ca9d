import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startGatewayProgram } from '../../support/process.ts';
import { pageReply, refusal, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const mebibyte = 1_048_576;
const slowMs = 1_000;

/** Starts a process whose warm-up would last for the whole test, before an API that refuses all keys but one, and slowly. */
async function start() {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  let [refusing, mostRefusing] = [0, 0];
  upstream.script(async (seen) => {
    if (seen.headers.authorization === 'Bearer good') return pageReply([{ mission_id: 'a' }], seen);
    mostRefusing = Math.max(mostRefusing, ++refusing);
    await wait(slowMs);
    refusing--;
    return refusal(401, '10009', 'Authentication failed');
  });
  const { program, url } = await startGatewayProgram({
    UPSTREAM_BASE_URL: upstream.baseUrl,
    WARM_UP_MS: '60000',
    LOG_LEVEL: 'error',
  });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { program, url, mostRefusing: () => mostRefusing };
}

/** Sends a document; resolves to the status, and 0 where the connection broke. */
function post(url: string, agent: Agent, key: string, query: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      authorization: `Bearer ${key}`,
    };
    const sent = request(`${url}/graphql`, { method: 'POST', headers, agent }, (res) => {
      res.resume().once('end', () => resolve(res.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0)).end(JSON.stringify({ query }));
  });
}

/** A document that is read, checked and refused: each another. */
const invalid = (n: number): string =>
  `{ ${Array.from({ length: 60 }, (_, at) => `a${n}x${at}: missing${at}`).join(' ')} }`;

// Measured: 410 MiB, and as many with a warm-up beside them, which ends after ten seconds.
test('12,000 invalid documents, each another, from the first moment of a process hold little', async () => {
  const { program, url } = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  onTestFinished(() => agent.destroy());
  const statuses = await Promise.all(Array.from({ length: 12_000 }, (_, n) => post(url, agent, 'made-up', invalid(n))));
  expect(new Set(statuses)).toEqual(new Set([400]));
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8')) ?? [];
  expect(Number(kibibytes) * 1024).toBeLessThan(500 * mebibyte);
});

/** A quarter of UPSTREAM_MAX_CONCURRENCY. */
const share = 32;

// Measured: 19 s with a warm-up beside them and without the share of made-up keys; 6 s on a machine that is busy with other things.
test('a flood of made-up keys from the first moment of a process lets no accepted caller wait long', async () => {
  const { url, mostRefusing } = await start();
  const ask = async (): Promise<number> => {
    const began = performance.now();
    const agent = new Agent();
    expect(await post(url, agent, 'good', '{ missions(first: 1) { totalCount } }')).toBe(200);
    return performance.now() - began;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 400 });
  const over = new AbortController();
  onTestFinished(() => agent.destroy());
  await ask();
  const flood = Array.from({ length: 400 }, async (_, n) => {
    for (let round = 0; !over.signal.aborted; round++)
      await post(url, agent, `made-up-${n}-${round}`, '{ missions(first: 2) { totalCount } }');
  });
  const waits: number[] = [];
  for (let round = 0; round < 20; round++) {
    waits.push(await ask());
    await wait(100);
  }
  over.abort();
  await Promise.all(flood);
  expect(mostRefusing()).toBeGreaterThan(0);
  expect(mostRefusing()).toBeLessThanOrEqual(share);
  expect(Math.max(...waits)).toBeLessThan(15 * slowMs);
});
