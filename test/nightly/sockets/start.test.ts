import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { startGatewayProgram } from '../../support/program.ts';
import { startScriptedUpstream } from '../../support/scripted-upstream.ts';

const mebibyte = 1_048_576;
// A document that is read, checked and refused, each another.
const invalid = (n: number): string =>
  JSON.stringify({ query: `{ ${Array.from({ length: 10 }, (_, at) => `a${n}x${at}: missing${at}`).join(' ')} }` });

function post(url: string, agent: Agent, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      authorization: 'Bearer made-up',
    };
    const sent = request(`${url}/graphql`, { method: 'POST', headers, agent }, (res) => {
      res.resume().once('end', () => resolve(res.statusCode ?? 0));
    });
    sent.once('error', reject).end(body);
  });
}

/** How much a process has held at most, in bytes, while it was asked for so many invalid documents from its first moment on. */
async function peakOf(warmUpMs: string): Promise<number> {
  await using upstream = await startScriptedUpstream().then((started) => ({
    ...started,
    [Symbol.asyncDispose]: () => started.close(),
  }));
  const env = { UPSTREAM_BASE_URL: upstream.baseUrl, WARM_UP_MS: warmUpMs, EXPLORER: 'false', LOG_LEVEL: 'warn' };
  const { program, url } = await startGatewayProgram(env);
  await using gateway = program;
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const statuses = await Promise.all(Array.from({ length: 12_000 }, (_, n) => post(url, agent, invalid(n))));
  expect(new Set(statuses)).toEqual(new Set([400]));
  agent.destroy();
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

// Planted fault for it: the first request does not end the warm-up.
test(
  '12,000 invalid documents right after the start hold as much with a warm-up as without',
  { timeout: 600_000 },
  async () => {
    const without = await peakOf('0');
    const withWarmUp = await peakOf('60000');
    expect(withWarmUp - without).toBeLessThan(100 * mebibyte);
  },
);
