import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { read, root } from '../documents/page.ts';
import { folderWriter } from '../support/files.ts';
import { describe, expect, test } from '../support/gateway.ts';
import { get } from '../support/http.ts';
import { listening, main, startGatewayProgram, startProgram } from '../support/process.ts';
import { open } from '../upstream/loopback.ts';

const folderOf = folderWriter();
const linesOf = (out: string): readonly string[] => out.split(/\r?\n/).filter((line) => line !== '');
const missions = (url: string): string => `${url}/graphql?query={missions{totalCount}}`;

/** A port on which something else listens. */
const occupiedPort = async (): Promise<string> => new URL((await open(createServer())).origin).port;

describe('a start', () => {
  test('by npm start serves the sandbox at SANDBOX_NOW, with tools and past any proxy, and ends with npm', async () => {
    const sandboxEnv = { SANDBOX_NOW: '2026-11-01T00:00:00Z', HTTP_PROXY: 'http://127.0.0.1:9' };
    const npm = spawn('npm', ['start', '--silent'], {
      env: { ...process.env, ...sandboxEnv, PORT: '0', LOG_LEVEL: 'silent', WARM_UP_MS: '0' },
    });
    const ended = once(npm, 'exit');
    // The gateway holds this pipe as long as it lives: its end is the end of all that npm started.
    const closed = once(npm.stdout, 'end');
    let out = '';
    for await (const chunk of npm.stdout.iterator({ destroyOnReturn: false })) {
      out += String(chunk);
      if (out.includes('sandboxUrl')) break;
    }
    npm.stdout.resume();
    const [, url = ''] = listening.exec(out) ?? [];
    expect(linesOf(out).map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', service: 'switchboard', url, msg: `Switchboard listens on ${url}/graphql` },
      { msg: expect.stringMatching(/UPSTREAM_BASE_URL is not set: .*sandbox.*sandbox-key/) },
      { sandboxUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v2$/) },
    ]);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const { text } = await get(missions(url), { key: 'sandbox-key' });
    expect(JSON.parse(text)).toEqual({ data: { missions: { totalCount: 230 } } });
    expect((await get(`${url}/sandbox`)).text).toContain('"now":"2026-11-01T00:0');
    expect((await get(url)).text).toContain('"/mcp"');
    npm.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await closed;
  });

  test('with an upstream and a host calls it, without sandbox and tools, and tells no key', async ({ upstream }) => {
    upstream.script(() => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } }));
    const { program, url } = await startGatewayProgram({
      HOST: 'localhost',
      UPSTREAM_BASE_URL: upstream.baseUrl,
      UPSTREAM_TIMEOUT: 'secret',
    });
    await using started = program;
    const warning = linesOf(started.out).find((line) => line.includes('no settings'));
    expect(JSON.parse(warning ?? '{}')).toMatchObject({ level: 'warn', misspelt: ['UPSTREAM_TIMEOUT'] });
    expect(started.out).not.toContain('secret');
    expect((await get(missions(url), { key: 'a-key' })).text).toBe('{"data":{"missions":{"totalCount":7}}}');
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer a-key']);
    expect((await get(url)).text).not.toContain('"/mcp"');
    await started.printed(/"msg":"request"/);
    expect(started.out + started.err).not.toMatch(/sandbox|a-key/);
  });
});

/** How a program ends that cannot start, and what it says. */
async function failedStart(env: Readonly<Record<string, string>>, options: readonly string[] = [], file = main) {
  await using program = startProgram(file, env, options);
  const [code] = await program.ending;
  expect(program.out).toBe('');
  return { code, said: program.err };
}

describe('a start that cannot be', () => {
  test('for its settings ends with 1 and one line that names each variable and no value', async () => {
    const env = { PORT: '-1', UPSTREAM_BASE_URL: 'https://user:hush@api.example.com/v2', LOG_LEVEL: 'loud' };
    const { code, said } = await failedStart(env);
    expect(code).toBe(1);
    expect(said).toMatch(
      /^Switchboard cannot start: PORT must [^\n]*UPSTREAM_BASE_URL must [^\n]*LOG_LEVEL must [^\n]*\n$/,
    );
    expect(said).not.toMatch(/hush|loud|\.ts:|\bat [\w.]+ \(/);
  });

  test('for its ports, with the sandbox beside it, ends with 1 and one line that names both', async () => {
    const [PORT, ADMIN_PORT] = [await occupiedPort(), await occupiedPort()];
    const inUse = (variable: string, port: string): string =>
      String.raw`${variable} ${port} on HOST 127\.0\.0\.1 is in use[^\n]*EADDRINUSE[^\n]*`;
    const line = `^Switchboard cannot start: ${inUse('PORT', PORT)}; ${inUse('ADMIN_PORT', ADMIN_PORT)}\n$`;
    const said = expect.stringMatching(new RegExp(line));
    expect(await failedStart({ PORT, ADMIN_PORT })).toEqual({ code: 1, said });
  });

  test('for its workers ends with 1 and one line', async () => {
    const preload = `--import=${new URL('preload/worker-fault.ts', import.meta.url).href}`;
    const env = { PORT: '0', WORKERS: '2', NODE_OPTIONS: preload };
    const line = (why: string) => expect.stringMatching(new RegExp(`^Switchboard cannot start: ${why}[^\\n]*\n$`));
    const failing = await failedStart({ ...env, FAULT_AT_START: 'all' });
    expect(failing).toEqual({ code: 1, said: line('a worker has ended while it started') });
    const crowdedOut = await failedStart({ ...env, PORT: await occupiedPort() });
    expect(crowdedOut).toEqual({ code: 1, said: line('PORT [^\\n]*EADDRINUSE') });
  });

  test('for its options ends with 2 and the usage', async () => {
    const said = expect.stringMatching(/^Unknown option '--prot'\n\nUsage: /);
    expect(await failedStart({}, ['--prot', '1'])).toEqual({ code: 2, said });
  });

  test('for its Node ends with 1 and one line', async () => {
    const manifest = { type: 'module', engines: { node: '>=99' }, scripts: {} };
    const folder = folderOf({ [main]: read(main), 'package.json': JSON.stringify(manifest) });
    const said = `Switchboard needs Node 99 or newer, and this is Node ${process.versions.node}: "npm ci && npm start" brings the right one and uses it.\n`;
    expect(await failedStart({}, [], relative(root, join(folder, main)))).toEqual({ code: 1, said });
  });
});

interface Options {
  readonly help?: boolean;
  readonly version?: boolean;
  readonly check?: { readonly operations: readonly string[]; readonly schema: string | null };
}

const { readOptions, applyOptions, adviceFor } = createRequire(import.meta.url)('../../src/main.cjs') as {
  readonly readOptions: (args: readonly string[]) => Options;
  readonly applyOptions: (options: Options, env: Record<string, string>) => void;
  readonly adviceFor: (oldest: string, current: string, isPackage: boolean) => string | null;
};

const howToInstall = 'install that from https://nodejs.org, and run the command again.';

/** The settings of a start with options in an environment. */
function configFor(args: readonly string[], given: Readonly<Record<string, string>>) {
  const env = { ...given };
  applyOptions(readOptions(args), env);
  return readConfig(env);
}

describe('the options of the command', () => {
  test.for([
    [/^Unknown option '--prot'/, ['--prot', '1']],
    [/^Unexpected argument 'extra'/, ['extra']],
    [/^Option '-p, --port <value>' argument missing/, ['--port']],
    [/^Option '--port' argument is ambiguous/, ['--port', '-1']],
    [/^Option '--port' has no value/, ['--port=']],
    [/^Option '--upstream' is given more than once/, ['-u', 'http://127.0.0.1:1/v2', '--upstream=http://a/v2']],
    [/^Options '--sandbox' and '--upstream' exclude each other/, ['--sandbox', '-u', 'http://127.0.0.1:1/v2']],
    [/^Option '--schema' is given more than once/, ['check', '-s', 'a', '-s', 'b']],
    [/^The options cannot be understood\./, ['https://user:hush@api.example.com/v2']],
  ] as const)('%s is why they are refused, with the usage and without credentials', ([message, args]) => {
    expect(() => readOptions(args)).toThrow(message);
    expect(() => readOptions(args)).toThrow(/\n\nUsage: switchboard \[options\]/);
    expect(() => readOptions(args)).not.toThrow(/hush/);
  });

  test('stand before the variables of the environment', () => {
    const env = { PORT: 'not this one', UPSTREAM_BASE_URL: 'ftp://nor.this' };
    const given = configFor(['-p', '0', '--upstream', 'http://api.example.com/v2'], env);
    expect(given).toMatchObject({ port: 0, upstreamBaseUrl: 'http://api.example.com/v2' });
    expect(configFor(['--sandbox', '--port=80'], env)).toMatchObject({ port: 80, upstreamBaseUrl: null });
    expect(configFor([], { PORT: '81' })).toMatchObject({ port: 81 });
  });
});

test.for([
  ['26', '4.0.0', true],
  ['26.4', '26.3.1', true],
  ['26.4', '26.10.0', false],
  ['25.99', '26.0.0', false],
] as const)('where Node %s is needed, %s is too old: %s', ([needed, current, isOld]) => {
  const advice = adviceFor(needed, current, true);
  expect(advice).toBe(
    isOld ? `Switchboard needs Node ${needed} or newer, and this is Node ${current}: ${howToInstall}` : null,
  );
});
