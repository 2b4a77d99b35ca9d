import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../documents/page.ts';
import { get } from '../support/http.ts';
import {
  listening,
  main,
  refusingUpstream,
  startGatewayProgram,
  startProgram,
  swiftStart,
} from '../support/process.ts';
import { whenReady } from '../support/ready.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';

const linesOf = (out: string): readonly string[] => out.split(/\r?\n/).filter((line) => line !== '');
const missions = (url: string): string => `${url}/graphql?query={missions{totalCount}}`;

async function startUpstream() {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  upstream.script(() => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } }));
  return upstream;
}

/** A port on which something else listens. */
async function occupiedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}

describe('a start', () => {
  test('by npm start serves the sandbox, says so in lines of JSON, and ends with npm', async () => {
    const npm = spawn('npm', ['start', '--silent'], {
      env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent', WARM_UP_MS: '0' },
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
    npm.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await closed;
  });

  test('with an upstream and a host calls it, and no sandbox, and tells no key', async () => {
    const upstream = await startUpstream();
    const { program, url } = await startGatewayProgram({ HOST: 'localhost', UPSTREAM_BASE_URL: upstream.baseUrl });
    await using started = program;
    expect((await get(missions(url), { key: 'a-key' })).text).toBe('{"data":{"missions":{"totalCount":7}}}');
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer a-key']);
    await started.printed(/"msg":"request"/);
    expect(started.out + started.err).not.toMatch(/sandbox|a-key/);
  });

  test('builds pages once, in another process, before it is ready', async () => {
    const preload = new URL('preload/page-watch.ts', import.meta.url).href;
    const { program, url } = await startGatewayProgram({
      EXPLORER: 'true',
      UPSTREAM_BASE_URL: refusingUpstream,
      NODE_OPTIONS: `--import=${preload}`,
    });
    await using gateway = program;
    await whenReady(url);
    const ended = (): number => gateway.out.split('A program has ended').length - 1;
    expect(ended()).toBe(1);
    const headers = { accept: 'text/html' };
    for (const path of ['/graphql', '/voyager', '/docs/client-guide.md', '/docs/client-guide.md'])
      expect((await fetch(url + path, { headers })).status).toBe(200);
    expect(ended()).toBe(1);
    expect(gateway.out).not.toContain('by the process that serves');
  });

  test('of the sandbox serves the upstream alone, below /v2', async () => {
    await using program = startProgram('src/sandbox/main.ts', { PORT: '0', HOST: '127.0.0.1' });
    const [, baseUrl = ''] = await program.printed(/(http:\/\/127\.0\.0\.1:\d+\/v2)$/m);
    const { status, text } = await get(`${baseUrl}/ai/missions?page[size]=1`, { key: 'sandbox-key' });
    expect([status, JSON.parse(text)]).toMatchObject([200, { data: [{}], meta: { page_size: 1 } }]);
    expect((await get(baseUrl.replace('/v2', '/graphql'))).status).toBe(404);
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
    expect(program.err).toBe('');
  });
});

describe('a start that cannot be', () => {
  test('for its settings ends with 1 and one line that names each variable and no value', async () => {
    await using program = startProgram(main, {
      PORT: '-1',
      UPSTREAM_BASE_URL: 'https://user:hush@api.example.com/v2',
      LOG_LEVEL: 'loud',
    });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(
      /^Switchboard cannot start: PORT must [^\n]*UPSTREAM_BASE_URL must [^\n]*LOG_LEVEL must [^\n]*\n$/,
    );
    expect(program.out + program.err).not.toMatch(/hush|loud|\.ts:|\bat [\w.]+ \(/);
    expect(program.out).toBe('');
  });

  test('for its ports, with the sandbox beside it, ends with 1 and one line that names both', async () => {
    const [PORT, ADMIN_PORT] = [await occupiedPort(), await occupiedPort()];
    await using program = startProgram(main, { PORT, ADMIN_PORT });
    expect(await program.ending).toEqual([1, null]);
    const inUse = (variable: string, port: string): string =>
      String.raw`${variable} ${port} on HOST 127\.0\.0\.1 is in use[^\n]*EADDRINUSE[^\n]*`;
    const line = `^Switchboard cannot start: ${inUse('PORT', PORT)}; ${inUse('ADMIN_PORT', ADMIN_PORT)}\n$`;
    expect(program.err).toMatch(new RegExp(line));
    expect(program.out).toBe('');
  });

  test('of the sandbox for its port ends with 1 and one line', async () => {
    await using program = startProgram('src/sandbox/main.ts', { PORT: await occupiedPort() });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^[^\n]*PORT[^\n]*EADDRINUSE[^\n]*\n$/);
    expect(program.out).toBe('');
  });

  test('for its options ends with 2 and the usage', async () => {
    await using program = startProgram(main, {}, ['--prot', '1']);
    expect(await program.ending).toEqual([2, null]);
    expect([program.out, program.err]).toEqual(['', expect.stringMatching(/^Unknown option '--prot'\n\nUsage: /)]);
  });

  test('for its Node ends with 1 and one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-entry-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'src'));
    copyFileSync(join(root, main), join(folder, main));
    const manifest = { type: 'module', engines: { node: '>=99' }, scripts: {} };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    await using program = startProgram(relative(root, join(folder, main)), {});
    expect(await program.ending).toEqual([1, null]);
    expect([program.out, program.err]).toEqual([
      '',
      `Switchboard needs Node 99 or newer, and this is Node ${process.versions.node}: "npm ci && npm start" brings the right one and uses it.\n`,
    ]);
  });
});

// `script` (Debian: bsdutils) runs a program on a terminal of its own.
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

describe.skipIf(!hasTerminal)('on a terminal (left out where there is no `script`)', () => {
  /** What a start writes to a terminal, until a line of it says this and Ctrl-C stops it. */
  async function outputOf(last: string, env: Readonly<Record<string, string>>): Promise<string> {
    const child = spawn('script', ['-qec', `exec '${process.execPath}' ${main}`, '/dev/null'], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...swiftStart(main), PATH: process.env['PATH'] ?? '', PORT: '0', TERM: 'xterm-256color', ...env },
    });
    let out = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      out += String(chunk);
      // As a key of the terminal: Ctrl-C stops the gateway, and the terminal with it.
      if (out.includes(last) && !child.stdin.writableEnded) child.stdin.end('\u0003');
    }
    return out;
  }

  test('the lines of a start are for people', async () => {
    const out = await outputOf('The sandbox itself', {});
    expect(out).toContain('\u001b[36mhttp://');
    const [first = '', ...others] = linesOf(stripVTControlCharacters(out));
    expect(first).toMatch(/^Switchboard listens on http:\/\/127\.0\.0\.1:\d+\/graphql$/);
    expect(others[0]).toMatch(/^In a browser: http:\S+\/ \(first page\), \S+\/graphql, \S+\/voyager$/);
    expect(others.filter((line) => line.startsWith('{'))).toEqual([]);
  });

  test('they name the API, and have no colours where NO_COLOR is set', async () => {
    const last = `Answers come from the API at ${refusingUpstream}`;
    const out = await outputOf(last, { UPSTREAM_BASE_URL: refusingUpstream, NO_COLOR: '1', EXPLORER: 'false' });
    expect(linesOf(out)).toContain(last);
    expect(out).not.toContain('\u001b[');
    expect(out).not.toMatch(/sandbox|In a browser/);
  });
});
