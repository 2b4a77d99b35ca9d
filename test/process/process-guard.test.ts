import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startGatewayProgram } from '../support/program.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()));
});

// Faults to order: no request is known to cause one.
const faults = `data:text/javascript,${encodeURIComponent(`
  const fault = () => new TypeError(['a', 'secret'].join('-'));
  process.on('SIGUSR2', () => void Promise.reject(fault()));
  process.on('SIGHUP', () => setImmediate(() => { throw fault(); }));
`)}`;

async function startFaulty() {
  const upstream = await startScriptedUpstream();
  cleanups.push(() => upstream.close());
  const { program, url } = await startGatewayProgram({
    UPSTREAM_BASE_URL: upstream.baseUrl,
    NODE_OPTIONS: `--import=${faults}`,
  });
  cleanups.push(() => program[Symbol.asyncDispose]());
  const unhandled = async (): Promise<string | undefined> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return /^switchboard_unhandled_total (\d+)$/m.exec(metrics)?.[1];
  };
  return { upstream, program, url, unhandled };
}

const ask = async (url: string): Promise<unknown> => {
  const headers = { authorization: 'Bearer a-key' };
  return (await fetch(`${url}/graphql?query={missions{totalCount}}`, { headers })).json();
};
const answer = { json: { data: [], meta: { total_results: 7 } } };
const expected = { data: { missions: { totalCount: 7 } } };

test('an unhandled rejection is logged without its message and counted, and the process goes on', async () => {
  const { upstream, program, url, unhandled } = await startFaulty();
  upstream.script(() => answer);
  expect(await unhandled()).toBe('0');
  program.kill('SIGUSR2');
  await expect.poll(unhandled).toBe('1');
  await expect
    .poll(() => program.out)
    .toMatch(/"level":"error",.*"error":"TypeError\\n {4}at .*"msg":"internal error"/);
  expect(await ask(url)).toEqual(expected);
  expect(program.out + program.err).not.toContain('a-secret');
  program.kill('SIGTERM');
  expect(await program.ending).toEqual([0, null]);
});

test('an uncaught exception stops the process as a signal does, with exit code 1', async () => {
  const { upstream, program, url } = await startFaulty();
  const asked = Promise.withResolvers<void>();
  const answering = Promise.withResolvers<void>();
  upstream.script(async () => {
    asked.resolve();
    await answering.promise;
    return answer;
  });
  const underWay = ask(url);
  await asked.promise;
  program.kill('SIGHUP');
  await expect.poll(async () => (await fetch(`${url}/ready`)).status).toBe(503);
  answering.resolve();
  expect(await underWay).toEqual(expected);
  expect(await program.ending).toEqual([1, null]);
  expect(program.out).toMatch(/"error":"TypeError\\n {4}at .*"msg":"internal error"/);
  expect(program.out + program.err).not.toContain('a-secret');
});

test('another uncaught exception during the stop neither hastens nor delays it', async () => {
  const { program, url } = await startFaulty();
  const idle = connect(Number(new URL(url).port), '127.0.0.1');
  idle.on('error', () => {});
  await new Promise((resolve) => idle.once('connect', resolve));
  for (const signal of ['SIGHUP', 'SIGHUP', 'SIGUSR2', 'SIGTERM'] as const) program.kill(signal);
  expect(await program.ending).toEqual([1, null]);
});
