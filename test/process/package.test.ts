import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../documents/page.ts';
import { listening, startProgram } from '../support/program.ts';

let folder: string;
let command: string;

// As npm installs it: packed, unpacked below node_modules, with its dependencies beside it. Those of this project stand in, so
// that no registry is needed; Voyager is not among them, since the package has its own.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-package-'));
  const built = join(folder, 'built');
  const modules = join(folder, 'node_modules');
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '.ci/package.ts', built], { cwd: root });
  const packed = execFileSync('npm', ['pack', '--silent', built], { cwd: folder, encoding: 'utf8' }).trim();
  mkdirSync(modules);
  execFileSync('tar', ['xzf', packed, '-C', modules], { cwd: folder });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== 'graphql-voyager') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  command = join(modules, 'package/src/entry/switchboard.js');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  test('says what its command can do, and refuses what it cannot', () => {
    const run = (option: string) => spawnSync(process.execPath, [command, option], { encoding: 'utf8' });
    expect(run('--help').stdout).toMatch(/^Usage: switchboard \[options\][^]+--port[^]+--upstream/);
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const unknown = run('--prot');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toMatch(/^Unknown option '--prot'[^]+Usage: switchboard/);
  });

  test.for(['1', '2'])('serves answers, pages and documents below node_modules, WORKERS=%s', async (workers) => {
    const env = { PORT: 'not this one', WORKERS: workers };
    await using program = startProgram(relative(root, command), env, ['--port', '0']);
    const [, url = ''] = await program.printed(listening);
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-key' },
      body: JSON.stringify({ query: '{ ipConnections { totalCount } }' }),
    });
    expect(await answer.json()).toEqual({ data: { ipConnections: { totalCount: 604 } } });
    for (const path of ['/', '/graphql', '/voyager', '/schema.graphql', '/docs/client-guide.md', '/docs/agents.md']) {
      const response = await fetch(url + path, { headers: { accept: 'text/html' } });
      expect([path, response.status, (await response.text()).length > 1000]).toEqual([path, 200, true]);
    }
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
  });

  test('asks the upstream that its command names', async () => {
    await using sandbox = startProgram('src/sandbox/main.ts', { PORT: '0' });
    const [upstream = ''] = await sandbox.printed(/http:\/\/127\.0\.0\.1:\d+\/v2/);
    await using program = startProgram(relative(root, command), {}, ['-p', '0', '-u', upstream]);
    const [, url = ''] = await program.printed(listening);
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-key' },
      body: JSON.stringify({ query: '{ missions { totalCount } }' }),
    });
    expect(await answer.json()).toEqual({ data: { missions: { totalCount: 230 } } });
    expect(program.out).not.toContain('sandboxUrl');
  });
});
