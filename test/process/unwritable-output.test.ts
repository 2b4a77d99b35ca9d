import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test, type TestContext } from 'vitest';
import { root } from '../documents/page.ts';
import { startGatewayProgram, swiftStart } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

const patient = { timeout: 300_000 };
const soon = { timeout: 120_000 };
const main = 'src/main.cjs';

/** A port for a gateway that cannot say which one it has. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ending: Promise<readonly unknown[]>;
}

async function start(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  [file = '', ...options]: readonly string[],
  stdio: StdioOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const port = await freePort();
  const settings = {
    ...swiftStart(main),
    PORT: port,
    EXPLORER: 'false',
    UPSTREAM_BASE_URL: 'http://127.0.0.1:9/v2',
    ...env,
  };
  const path = process.env['PATH'] ?? '';
  const child = spawn(file, options, { cwd: root, stdio, env: { PATH: path, ...settings } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, url: `http://127.0.0.1:${port}`, ending: once(child, 'exit') };
}

/** Sends requests until so many lines are lost. */
async function loses(context: TestContext, url: string, lines: number): Promise<void> {
  const lost = async (): Promise<number> => {
    await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${url}/nothing`)).text()));
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^switchboard_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
  };
  await context.expect.poll(() => lost().catch(() => 0), soon).toBeGreaterThanOrEqual(lines);
}

const open = (path: string, flags = 'a'): number => openSync(path, flags);

// Each waits for a process. Faults of each kind with workers are those of output-fault.test.ts.
const workers = { WORKERS: '2' };

describe('a gateway', () => {
  test.concurrent('serves and stops with its output on a full disk', patient, async (context) => {
    const { expect } = context;
    const full = open('/dev/full', 'w');
    const { child, url, ending } = await start(context, [process.execPath, main], ['ignore', full, full], workers);
    closeSync(full);
    await loses(context, url, 21);
    child.kill('SIGTERM');
    expect(await ending).toEqual([0, null]);
  });

  test.concurrent(
    'serves and stops when its reader has gone, and standard error says so once',
    patient,
    async (context) => {
      const { expect } = context;
      const { child, url, ending } = await start(context, [process.execPath, main], ['ignore', 'pipe', 'pipe']);
      child.stdout?.destroy();
      let err = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
      await loses(context, url, 100);
      child.kill('SIGTERM');
      expect(await ending).toEqual([0, null]);
      expect(err).toMatch(/^The log cannot be written \(EPIPE\): lines are lost[^\n]*\n$/);
    },
  );

  test.concurrent('serves and stops at a limit for the length of files', patient, async (context) => {
    const { expect } = context;
    const [out, err] = [join(folder, 'out'), join(folder, 'err')];
    const limited = ['sh', '-c', `ulimit -f 4; exec '${process.execPath}' ${main}`];
    const files = ['ignore', open(out), open(err)] as const;
    const { child, url, ending } = await start(context, limited, [...files]);
    await loses(context, url, 20);
    child.kill('SIGTERM');
    expect(await ending).toEqual([0, null]);
    expect(statSync(out).size).toBeGreaterThan(0);
    expect(readFileSync(err, 'utf8')).toMatch(/^The log cannot be written \(EFBIG\): [^\n]*\n$/);
  });
});

test.concurrent('a stop ends the process in time although nobody reads its log', patient, async ({ expect }) => {
  const { program, url } = await startGatewayProgram();
  await using unread = program;
  unread.stopReading();
  // More lines than the socket and its reader hold.
  for (let sent = 0; sent < 4_000; sent += 100)
    await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/nothing`)).arrayBuffer()));
  unread.kill('SIGTERM');
  expect(await unread.exit).toEqual([0, null]);
});

// `script` (Debian: bsdutils) runs a program on a terminal of its own, which vanishes with it.
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

describe.skipIf(!hasTerminal)('when its terminal has vanished (left out where there is no `script`)', () => {
  async function startOnTerminal(context: TestContext, name: string, env: Readonly<Record<string, string>> = {}) {
    const pidFile = join(folder, name);
    const command = `echo $$ > ${pidFile}; exec '${process.execPath}' ${main}`;
    const terminal = await start(
      context,
      ['script', '-qec', command, '/dev/null'],
      ['ignore', 'ignore', 'ignore'],
      env,
    );
    await context.expect
      .poll(
        () =>
          fetch(terminal.url)
            .then(() => 'served')
            .catch(() => 'not yet'),
        soon,
      )
      .toBe('served');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    context.onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    terminal.child.kill('SIGKILL');
    await terminal.ending;
    return { pid, url: terminal.url };
  }

  /** Whether it is there, and not only waits for its parent to take note of its end. */
  function isAlive(pid: number): boolean {
    try {
      return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
    } catch {
      return false;
    }
  }

  test('the process stops', patient, async (context) => {
    const { expect } = context;
    const { pid } = await startOnTerminal(context, 'alone');
    await expect.poll(() => isAlive(pid), soon).toBe(false);
  });

  test('a process that reads its trusted documents again at this signal goes on', patient, async (context) => {
    const { expect } = context;
    const documents = join(folder, 'documents.json');
    writeFileSync(documents, JSON.stringify({ one: '{ __typename }' }));
    const { pid, url } = await startOnTerminal(context, 'trusted', { PERSISTED_OPERATIONS: documents });
    await loses(context, url, 20);
    process.kill(pid, 'SIGTERM');
    await expect.poll(() => isAlive(pid), soon).toBe(false);
  });
});
