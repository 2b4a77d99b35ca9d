import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base } from '../support/gateway.ts';
import { endGroup } from '../support/process.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/supergraph.md'), 'utf8');
const [, body = ''] = /-d '(\{"query".*\})'/.exec(page) ?? [];

/** A port that was free a moment ago, for a program that cannot choose one. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Script {
  /** The address of its router. */
  readonly url: string;
  /** Sends a signal to npx, which has started it, or as a terminal does to both; settles when both have ended. */
  stop(signal: NodeJS.Signals, to: 'npx' | 'all'): Promise<unknown>;
}

/** Vitest's `test` with the script that the page starts, running in front of a gateway. */
const test = base.extend<{ readonly compose: Script }>({
  compose: async ({ gateway }, use) => {
    const [notesPort, port] = await Promise.all([freePort(), freePort()]);
    const env = { SWITCHBOARD: `${gateway.url}/graphql`, NOTES_PORT: String(notesPort), PORT: String(port) };
    const child = spawn('npx', ['node', 'test/routers/compose.ts'], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    // Its output ends with the last of all processes that have it.
    const ended = new Promise((resolve) => child.once('close', resolve));
    let output = '';
    await new Promise<void>((resolve, reject) => {
      const read = (text: Buffer): void => {
        output += text.toString();
        if (output.includes(`The supergraph is on port ${port}.`)) resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      void ended.then(() => reject(new Error(`test/routers/compose.ts ended: ${output}`)));
    });
    await use({
      url: `http://127.0.0.1:${port}/graphql`,
      stop: (signal, to) => {
        if (child.pid !== undefined) process.kill(to === 'all' ? -child.pid : child.pid, signal);
        return ended;
      },
    });
    endGroup(child.pid);
    await ended;
  },
});

test('the walk-through of docs/supergraph.md starts a supergraph that responds', async ({
  expect,
  compose,
  upstream,
}) => {
  upstream.script((request) => pageReply([{ id: 'a', connection_name: 'Head office' }, { id: 'b' }], request));
  const ask = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    return (await fetch(compose.url, init)).json();
  };
  expect(await ask({ authorization: 'Bearer sandbox-key' })).toEqual({
    data: {
      ipConnections: {
        nodes: [
          { connectionName: 'Head office', note: 'A note on a' },
          { connectionName: null, note: 'A note on b' },
        ],
        totalCount: 2,
      },
    },
  });
  expect(upstream.requests.map(({ path, headers }) => `${path} ${headers.authorization}`)).toEqual([
    '/ip_connections Bearer sandbox-key',
  ]);
  expect(await ask({})).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
});

test.for([
  ['on one Ctrl-C', 'SIGINT', 'all'],
  ['where npx gets SIGTERM', 'SIGTERM', 'npx'],
  ['on SIGTERM', 'SIGTERM', 'all'],
] as const)('the script that docs/supergraph.md starts ends %s', async ([, signal, to], { expect, compose }) => {
  const answer = await fetch(`${compose.url}?query={__typename}`, { headers: { accept: 'application/json' } });
  expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  await compose.stop(signal, to);
  await expect(fetch(compose.url)).rejects.toThrow('fetch failed');
});
