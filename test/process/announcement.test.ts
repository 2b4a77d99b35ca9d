import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { root } from '../documents/page.ts';
import { startGatewayProgram, swiftStart } from '../support/program.ts';

const linesOf = (out: string): readonly string[] => out.split(/\r?\n/).filter((line) => line !== '');

test.for(['info', 'silent'])(
  'every line of a start is JSON where nobody sits at a terminal, LOG_LEVEL=%s',
  async (level) => {
    const { program, url } = await startGatewayProgram({ LOG_LEVEL: level, EXPLORER: 'true' });
    await using started = program;
    await program.printed(/sandboxUrl/);
    const lines = linesOf(started.out).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { level: 'info', service: 'switchboard', url, msg: `Switchboard listens on ${url}/graphql` },
      { msg: expect.stringContaining('UPSTREAM_BASE_URL is not set') },
      { sandboxUrl: expect.stringMatching(/^http:/) },
    ]);
    expect(lines[0].time).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  },
);

// `script` (Debian: bsdutils) runs a program on a terminal of its own.
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

describe.skipIf(!hasTerminal)('on a terminal (left out where there is no `script`)', () => {
  /** What a start writes to a terminal, until a line of it says this and Ctrl-C stops it. */
  async function outputOf(last: string, env: Readonly<Record<string, string>>): Promise<string> {
    const child = spawn('script', ['-qec', `exec '${process.execPath}' src/main.cjs`, '/dev/null'], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...swiftStart('src/main.cjs'), PATH: process.env['PATH'] ?? '', PORT: '0', TERM: 'xterm-256color', ...env },
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
    const last = 'Answers come from the API at http://127.0.0.1:9/v2';
    const out = await outputOf(last, { UPSTREAM_BASE_URL: 'http://127.0.0.1:9/v2', NO_COLOR: '1' });
    expect(linesOf(out)).toContain(last);
    expect(out).not.toContain('\u001b[');
    expect(out).not.toContain('sandbox');
  });
});
