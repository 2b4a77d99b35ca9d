import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../documents/page.ts';
import { endGroup, listening, startProgram } from '../support/program.ts';

interface Bom {
  readonly metadata: object;
  readonly components: readonly { readonly 'bom-ref': string; readonly hashes?: readonly object[] }[];
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly dev?: boolean; readonly optional?: boolean }>
  >;
}

let folder: string;
let command: string;

// As npm installs it: packed, unpacked below node_modules, with its dependencies beside it. Those of this project stand in, so
// that no registry is needed.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-package-'));
  const modules = join(folder, 'node_modules');
  const pack = ['pack', '--silent', '--pack-destination', folder];
  const packed = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim();
  mkdirSync(modules);
  execFileSync('tar', ['xzf', packed, '-C', modules], { cwd: folder });
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  command = join(modules, 'package/src/main.cjs');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  const cache = () => ({ NODE_COMPILE_CACHE: join(folder, 'cache') });
  const run = (...options: readonly string[]) =>
    spawnSync(process.execPath, [command, ...options], { encoding: 'utf8', env: cache(), timeout: 60_000 });

  test('says what its command can do', () => {
    expect(run('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: switchboard \[options\][^]+--port[^]+--upstream/),
    });
    expect(run('-v')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test('checks operations against its own schema', () => {
    const operations = join(folder, 'node_modules/package/src/mcp/operations');
    expect(run('check', '-o', operations)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/\d+ operations: 0 would break, 0 may cost too much\n$/),
      stderr: '',
    });
  });

  test('holds what it runs and its documents, and nothing of the machine that made it', () => {
    const unpacked = join(folder, 'node_modules/package');
    const paths = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));
    const expected =
      /^(?:package\.json|sbom\.cdx\.json|README\.md|CHANGELOG\.md|docs\/(?:clients\/)?[\w-]+\.(?:md|svg)|schema\/[\w-]+\.graphql|src\/[\w./-]+\.(?:c?js|d\.ts|json|css|graphql|svg|wasm))$/;
    expect(paths.filter((path) => !expected.test(path) || /(?:^|\/)\.|\.test\./.test(path))).toEqual([]);
    expect(paths.length).toBeGreaterThan(200);
    const told = paths.filter((path) => {
      const text = readFileSync(join(unpacked, path), 'latin1');
      return (
        text.includes(root.replace(/\/$/, '')) || /-----BEGIN [A-Z ]*PRIVATE KEY|_authToken|sourceMappingURL/.test(text)
      );
    });
    expect(told).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as object;
    for (const name of ['scripts', 'devDependencies', 'overrides', 'bundleDependencies'])
      expect(manifest).not.toHaveProperty(name);
  });

  test('lists the packages that it needs, each with its hash, and nothing that differs from run to run', () => {
    const bom = JSON.parse(readFileSync(join(folder, 'node_modules/package/sbom.cdx.json'), 'utf8')) as Bom;
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
    const needed = Object.entries(lock.packages)
      .filter(([path, { dev, optional }]) => path !== '' && dev !== true && optional !== true)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`);
    expect(bom.components.map((component) => component['bom-ref']).sort()).toEqual([...new Set(needed)].sort());
    expect(bom.components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
    expect(needed).toContain('graphql@16.15.0');
    expect(bom.dependencies[0]?.dependsOn).toContain('graphql@16.15.0');
    expect(bom).not.toHaveProperty('serialNumber');
    expect(bom.metadata).toEqual({ component: expect.objectContaining({ name: 'switchboard' }) });
  });

  test('has the document that its help names', () => {
    const [, name = ''] = /(docs\/\S+\.md)/.exec(run('--help').stdout) ?? [];
    expect(readFileSync(join(folder, 'node_modules/package', name), 'utf8')).toContain('`UPSTREAM_BASE_URL`');
  });

  test.for([
    [/^Unknown option '--prot'/, '--prot', '1'],
    [/^Unknown option '-x'/, '-x'],
    [/^Unexpected argument 'extra'/, 'extra'],
    [/^Option '-p, --port <value>' argument missing/, '--port'],
    [/^Option '--port' argument is ambiguous/, '--port', '-1'],
    [/^Option '--port' has no value/, '--port='],
    [/^Option '--upstream' has no value/, '-p', '0', '--upstream='],
    [/^Option '--upstream' is given more than once/, '-u', 'http://127.0.0.1:1/v2', '--upstream=http://127.0.0.1:2/v2'],
    [/^Option '--port' is given more than once/, '-p', '0', '-p', '0'],
    [/^Options '--sandbox' and '--upstream' exclude each other/, '--sandbox', '-u', 'http://127.0.0.1:1/v2'],
  ] as const)('refuses with %s and its help', ([message, ...options]) => {
    const { status, stdout, stderr } = run(...options);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/\n\nUsage: switchboard/);
  });

  test.for([
    ['PORT', '--port=-1'],
    ['PORT', '-pabc'],
    ['UPSTREAM_BASE_URL', '--upstream', 'ftp://127.0.0.1/v2'],
    ['UPSTREAM_BASE_URL', '--upstream', '127.0.0.1:4010'],
  ])('refuses in one line the value of %s in %s', ([variable = '', ...options]) => {
    const { status, stdout, stderr } = run(...options);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^Switchboard cannot start: ${variable} must be .+\n$`));
  });

  test.for(['1', '2'])('serves answers, pages and documents below node_modules, WORKERS=%s', async (workers) => {
    const env = { PORT: 'not this one', WORKERS: workers };
    await using program = startProgram(relative(root, command), { ...cache(), ...env }, ['--port', '0']);
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

  test('serves the sandbox where that is asked for, whatever the environment says', async () => {
    const env = { ...cache(), UPSTREAM_BASE_URL: 'http://127.0.0.1:1/v2' };
    await using program = startProgram(relative(root, command), env, ['--sandbox', '--port=0']);
    const [, url = ''] = await program.printed(listening);
    expect(await (await fetch(url)).json()).toMatchObject({ upstream: 'sandbox' });
  });

  test('starts gateways in the tests of other projects, and has the types of what these import', () => {
    const modules = join(folder, 'node_modules');
    symlinkSync(join(modules, 'package'), join(modules, 'switchboard'));
    const program = `import { startSwitchboard, type FaultName } from 'switchboard/testing';
const fault: FaultName = 'rate-limited';
await using gateway = await startSwitchboard();
gateway.sandbox.use(\`\${fault}=5\`, 'only=missions');
const { status } = gateway.sandbox.deliver({ status: 'failed' });
const url = \`\${gateway.graphqlUrl}?query={missions{totalCount}}\`;
const response = await fetch(url, { headers: { authorization: 'Bearer a-key' } });
const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
console.log(status, errors[0]?.extensions.code);
`;
    writeFileSync(join(folder, 'program.ts'), program);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'esnext,dom'];
    const check = (text: string) => {
      writeFileSync(join(folder, 'checked.ts'), text);
      const tsc = join(root, 'node_modules/.bin/tsc');
      return spawnSync(tsc, [...options, '--types', 'node', 'checked.ts'], { cwd: folder, encoding: 'utf8' });
    };
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    expect(check(program)).toMatchObject({ status: 0, stdout: '' });
    expect(check(program.replace("'rate-limited'", "'rate-limit'")).stdout).toContain('is not assignable to type');
    const { stdout, stderr } = spawnSync(process.execPath, ['program.ts'], {
      cwd: folder,
      encoding: 'utf8',
      env: cache(),
    });
    expect([stdout, stderr]).toEqual(['failed RATE_LIMITED\n', '']);
  });

  test('ends where npx is told to end, which ends its shell alone', async () => {
    const line = `'${process.execPath}' '${command}' --port 0; true`;
    const shell = spawn('sh', ['-c', line], {
      env: { ...cache(), npm_command: 'exec', WARM_UP_MS: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    // The gateway holds this pipe as long as it lives.
    const closed = once(shell, 'close');
    onTestFinished(() => endGroup(shell.pid));
    for await (const chunk of shell.stdout.iterator({ destroyOnReturn: false }))
      if (String(chunk).includes('Switchboard listens on')) break;
    shell.stdout.resume();
    shell.kill('SIGTERM');
    expect(await closed).toEqual([null, 'SIGTERM']);
  });

  test('asks the upstream that its command names', async () => {
    await using sandbox = startProgram('src/sandbox/main.ts', { PORT: '0' });
    const [upstream = ''] = await sandbox.printed(/http:\/\/127\.0\.0\.1:\d+\/v2/);
    await using program = startProgram(relative(root, command), cache(), ['-p', '0', '-u', upstream]);
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
