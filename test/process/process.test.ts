import { createServer, request, Agent, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startGatewayProgram, startProgram, type Program } from '../support/program.ts';
import { hang, startScriptedUpstream } from '../support/scripted-upstream.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()));
});

async function startGateway(env: Readonly<Record<string, string>> = {}) {
  const gateway = await startGatewayProgram(env);
  cleanups.push(() => gateway.program[Symbol.asyncDispose]());
  return gateway;
}

function start(file: string, env: Readonly<Record<string, string>>): Program {
  const program = startProgram(file, env);
  cleanups.push(() => program[Symbol.asyncDispose]());
  return program;
}

const askMissions = (url: string, key: string, agent?: Agent) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const asking = request(`${url}/graphql?query={missions(first:1){totalCount}}`, { headers, agent }, (res) => {
      void textOf(res).then((body) => resolve({ status: res.statusCode, body }), reject);
    });
    asking.once('error', reject).end();
  });

async function textOf(res: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of res.setEncoding('utf8')) text += chunk;
  return text;
}

describe('npm start', () => {
  test('serves the embedded sandbox where no upstream is set, and prints that', async () => {
    const { program, url, startMs } = await startGateway();
    // A figure to look at, not a verdict: the machine that runs the tests may be busy.
    console.log(`Listening after ${startMs} ms.`);
    await program.printed(/UPSTREAM_BASE_URL is not set: .*sandbox.*sandbox-key/);
    await program.printed(/The sandbox itself, while this process runs: http:\/\/127\.0\.0\.1:\d+\/v2/);
    const { status, body } = await askMissions(url, 'sandbox-key');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ data: { missions: { totalCount: expect.any(Number) } } });
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(program.err).toBe('');
  });

  test('listens on HOST', async () => {
    const { url } = await startGateway({ HOST: 'localhost' });
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test('calls the upstream that is set, and no sandbox', async () => {
    const upstream = await startScriptedUpstream();
    cleanups.push(() => upstream.close());
    upstream.script(() => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } }));
    const { program, url } = await startGateway({ UPSTREAM_BASE_URL: upstream.baseUrl });
    expect(JSON.parse((await askMissions(url, 'a-key')).body)).toEqual({ data: { missions: { totalCount: 7 } } });
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer a-key']);
    expect(program.out).not.toMatch(/sandbox/);
    expect(program.out).not.toMatch(/a-key/);
  });

  test('ends a call to a silent upstream after UPSTREAM_TIMEOUT_MS', async () => {
    const upstream = await startScriptedUpstream();
    cleanups.push(() => upstream.close());
    upstream.script(() => hang);
    const { url } = await startGateway({ UPSTREAM_BASE_URL: upstream.baseUrl, UPSTREAM_TIMEOUT_MS: '100' });
    const { body } = await askMissions(url, 'a-key');
    expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'UPSTREAM_TIMEOUT' } }] });
    const headers = { authorization: 'Bearer a-key' };
    const report = await fetch(`${url}/exports/charges-breakdown.csv?startDate=2026-10-01`, { headers });
    expect(report.status).toBe(504);
  });
});

describe.for(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('ends an idle process with 0, at once, whatever connections are kept', async () => {
    const preload = new URL('long-keep-alive.ts', import.meta.url).href;
    const { program, url } = await startGateway({ NODE_OPTIONS: `--import=${preload}` });
    const agent = new Agent({ keepAlive: true });
    cleanups.push(async () => agent.destroy());
    await askMissions(url, 'sandbox-key', agent);
    const unused = connect(Number(new URL(url).port), '127.0.0.1');
    unused.on('error', () => {});
    await new Promise((resolve) => unused.once('connect', resolve));
    const stopped = performance.now();
    program.kill(signal);
    expect(await program.ending).toEqual([0, null]);
    // Connections that were waited for would be cut off after nine.
    expect(performance.now() - stopped).toBeLessThan(8_000);
    expect(program.err).toBe('');
  });

  test('lets a request under way finish, and refuses new connections meanwhile', async () => {
    const upstream = await startScriptedUpstream();
    cleanups.push(() => upstream.close());
    const asked = Promise.withResolvers<undefined>();
    const answering = Promise.withResolvers<undefined>();
    upstream.script(async () => {
      asked.resolve(undefined);
      await answering.promise;
      return { json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } };
    });
    const { program, url } = await startGateway({ UPSTREAM_BASE_URL: upstream.baseUrl });
    const underWay = askMissions(url, 'a-key');
    const half = connect(Number(new URL(url).port), '127.0.0.1');
    half.write('GET /ready HTTP/1.1\r\nhost: gateway\r\n');
    await asked.promise;
    program.kill(signal);
    program.kill(signal);
    await expect.poll(() => fetch(`${url}/health`).catch(() => 'refused')).toBe('refused');
    half.write('\r\n');
    expect(String(await new Promise((resolve) => half.once('data', resolve)))).toMatch(/^HTTP\/1\.1 503 /);
    answering.resolve(undefined);
    expect(await underWay).toEqual({ status: 200, body: '{"data":{"missions":{"totalCount":7}}}' });
    expect(await program.ending).toEqual([0, null]);
  });
});

describe('a start that cannot be', () => {
  const cases: readonly [env: Readonly<Record<string, string>>, names: readonly string[]][] = [
    [{ PORT: 'http' }, ['PORT']],
    [{ UPSTREAM_BASE_URL: 'ftp://api.example.com/v2' }, ['UPSTREAM_BASE_URL']],
    [{ UPSTREAM_BASE_URL: 'https://user:hush@api.example.com/v2' }, ['UPSTREAM_BASE_URL']],
    [{ UPSTREAM_TIMEOUT_MS: '10s' }, ['UPSTREAM_TIMEOUT_MS']],
    [{ HOST: '203.0.113.7' }, ['HOST']],
    [
      {
        PORT: '-1',
        HOST: 'a b',
        UPSTREAM_BASE_URL: 'x',
        UPSTREAM_TIMEOUT_MS: '0',
        EXPOSE_SECRETS: 'yes',
        LOG_LEVEL: 'loud',
      },
      ['PORT', 'HOST', 'UPSTREAM_BASE_URL', 'UPSTREAM_TIMEOUT_MS', 'EXPOSE_SECRETS', 'LOG_LEVEL'],
    ],
  ];

  test.for(cases)('%j ends with 1 and one line that names each wrong variable', async ([env, names]) => {
    const program = start('src/main.cjs', { PORT: '0', ...env });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^Switchboard cannot start: [^\n]+\n$/);
    for (const name of names) expect(program.err).toContain(name);
    expect(program.err).not.toMatch(/hush|\.ts:|\bat [\w.]+ \(/);
    expect(program.out).toBe('');
  });

  test.for(['src/main.cjs', 'src/sandbox/main.ts'])('a port in use ends %s with 1 and one line', async (file) => {
    const server = createServer().listen(0, '127.0.0.1');
    cleanups.push(async () => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const program = start(file, { PORT: String((server.address() as AddressInfo).port) });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^[^\n]*PORT[^\n]*EADDRINUSE[^\n]*\n$/);
    expect(program.out).toBe('');
  });
});

describe('npm run sandbox', () => {
  test('serves the upstream alone, below /v2, on HOST and PORT', async () => {
    const program = start('src/sandbox/main.ts', { PORT: '0', HOST: '127.0.0.1' });
    const [, baseUrl = ''] = await program.printed(/(http:\/\/127\.0\.0\.1:\d+\/v2)$/m);
    const headers = { authorization: 'Bearer sandbox-key' };
    const response = await fetch(`${baseUrl}/ai/missions?page[size]=1`, { headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{}], meta: { page_size: 1 } });
    expect((await fetch(baseUrl.replace('/v2', '/graphql'))).status).toBe(404);
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
    expect(program.err).toBe('');
  });
});
