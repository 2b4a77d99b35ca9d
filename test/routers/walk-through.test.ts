import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { read } from '../documents/page.ts';
import { freePort } from '../fleet/redis.ts';
import { temporaryFolder } from '../support/files.ts';
import { expect, test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const routers = 'test/routers/node_modules';
const copy = temporaryFolder();

/** A copy of `examples/federation`, with the packages of the tests in place of its own, of the same versions. */
function copyExample(): string {
  cpSync(join(root, 'examples/federation'), copy, { recursive: true });
  const modules = join(copy, 'node_modules');
  mkdirSync(modules);
  for (const [name, from] of [
    ['@apollo', 'node_modules'],
    ['@theguild', 'node_modules'],
    ['graphql', 'node_modules'],
    ['graphql-yoga', 'node_modules'],
    ['@graphql-hive', routers],
  ] as const)
    symlinkSync(join(root, from, name), join(modules, name));
  return copy;
}

/** Runs a file of the copy; settles with what it has printed when that matches, or when it has ended well. */
async function run(cwd: string, line: string, env: Readonly<Record<string, string>>, pattern?: RegExp) {
  const child: ChildProcess = spawn(process.execPath, line.split(' '), { cwd, env: { PATH: '', ...env } });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => {
        output += text.toString();
        if (pattern?.test(output) === true) resolve();
      });
    void ended.then((code) => (code === 0 ? resolve() : reject(new Error(`${line} ended: ${output}`))));
  });
}

test('the walk-through of docs/supergraph.md starts a supergraph that responds', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([{ id: 'a', connection_name: 'Head office' }, { id: 'b' }], request));
  const folder = copyExample();
  const [notesPort, port] = [await freePort(), await freePort()].map(String);
  const { scripts } = JSON.parse(read('examples/federation/package.json'));
  await run(folder, 'notes.js', { PORT: notesPort ?? '' }, /The notes are on port/);
  const subgraphs = { SWITCHBOARD: `${gateway.url}/graphql`, NOTES: `http://127.0.0.1:${notesPort}/graphql` };
  await run(folder, scripts['compose:hive'].replace('node ', ''), subgraphs);
  expect(readdirSync(folder)).toContain('supergraph.graphql');
  const start = scripts.start.replace('hive-gateway', 'node_modules/@graphql-hive/gateway/dist/bin.js');
  await run(folder, start.replace('4002', port), { HOME: folder }, new RegExp(`[Ll]istening.*${port}`));

  const [, body = ''] = /-d '(\{"query".*\})'/.exec(read('docs/supergraph.md')) ?? [];
  const ask = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    return (await fetch(`http://127.0.0.1:${port}/graphql`, init)).json();
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
