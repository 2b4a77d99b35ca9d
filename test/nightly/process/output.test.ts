import { spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../documents/page.ts';
import { get } from '../../support/http.ts';
import { main, refusingUpstream, swiftStart } from '../../support/process.ts';

const address = /(http:\/\/127\.0\.0\.1:\d+)\/graphql/;

/** Starts the gateway by a command, with output of its own; `out` reads what it has written so far. */
async function start([file = '', ...options]: readonly string[], stdio: StdioOptions, out?: () => string) {
  const env = { ...swiftStart(main), PORT: '0', EXPLORER: 'false', UPSTREAM_BASE_URL: refusingUpstream };
  const child = spawn(file, options, { cwd: root, stdio, env: { PATH: process.env['PATH'] ?? '', ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ending = once(child, 'exit');
  let piped = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (piped += text));
  const written = out ?? (() => piped);
  await expect.poll(written, { timeout: 100_000 }).toMatch(address);
  return { child, ending, url: address.exec(written())?.[1] ?? '', out: written };
}

test('a gateway serves and stops at a limit for the length of files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [out, err] = [join(folder, 'out'), join(folder, 'err')];
  const command = ['sh', '-c', `ulimit -f 4; exec '${process.execPath}' ${main}`];
  const stdio: StdioOptions = ['ignore', openSync(out, 'a'), openSync(err, 'a')];
  const { child, url, ending } = await start(command, stdio, () => readFileSync(out, 'utf8'));
  const said = async (): Promise<string> => {
    for (let sent = 0; sent < 20; sent++) expect((await get(`${url}/nothing`)).status).toBe(404);
    return readFileSync(err, 'utf8');
  };
  await expect.poll(said).toMatch(/^The log cannot be written \(EFBIG\): [^\n]*\n$/);
  child.kill('SIGTERM');
  expect(await ending).toEqual([0, null]);
});

// `script` (Debian: bsdutils) runs a program on a terminal of its own, which vanishes with it.
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** Whether a process is there, and not only waits for its parent to take note of its end. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

test.skipIf(!hasTerminal)('a gateway whose terminal vanishes stops (left out where there is no `script`)', async () => {
  const command = ['script', '-qec', `echo pid $$; exec '${process.execPath}' ${main}`, '/dev/null'];
  const terminal = await start(command, ['ignore', 'pipe', 'ignore']);
  const pid = Number(/pid (\d+)/.exec(terminal.out())?.[1]);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  expect(isAlive(pid)).toBe(true);
  terminal.child.kill('SIGKILL');
  await terminal.ending;
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test.skipIf(!hasTerminal)(
  'on a terminal the lines of a start are for people (left out where there is no `script`)',
  async () => {
    const terminal = spawn('script', ['-qec', `exec '${process.execPath}' ${main}`, '/dev/null'], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...swiftStart(main),
        PATH: process.env['PATH'] ?? '',
        TERM: 'xterm-256color',
        PORT: '0',
        UPSTREAM_BASE_URL: refusingUpstream,
      },
    });
    const last = 'Answers come from the API at ';
    let out = '';
    for await (const chunk of terminal.stdout.setEncoding('utf8')) {
      out += String(chunk);
      // As a key of the terminal: Ctrl-C stops the gateway, and the terminal with it.
      if (out.includes(last) && !terminal.stdin.writableEnded) terminal.stdin.end('\u0003');
    }
    expect(out).toContain('\u001b[36mhttp://');
    const lines = stripVTControlCharacters(out)
      .split(/\r?\n/)
      .filter((line) => line !== '');
    expect(lines.slice(0, 3)).toEqual([
      expect.stringMatching(/^Switchboard listens on http:\/\/127\.0\.0\.1:\d+\/graphql$/),
      expect.stringMatching(/^In a browser: http:\S+\/ \(first page\), \S+\/graphql, \S+\/voyager$/),
      last + refusingUpstream,
    ]);
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([]);
  },
);
