import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../../../documents/page.ts';
import { temporaryFolder } from '../../../support/files.ts';
import { get } from '../../../support/http.ts';
import type { Json } from '../../../support/records.ts';
import { endGroup, listening } from '../../../support/process.ts';

const folder = temporaryFolder();
let tarball: string;
let command: string;

// As npm installs it: packed, unpacked below node_modules, with its dependencies beside it. Those of this project stand in, so
// that no registry is needed.
beforeAll(() => {
  const modules = join(folder, 'node_modules');
  const dist = join(folder, 'dist');
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '.ci/package.ts', dist], { cwd: root });
  const pack = ['pack', '--silent', '--pack-destination', folder, dist];
  tarball = join(folder, execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim());
  mkdirSync(modules);
  execFileSync('tar', ['xzf', tarball, '-C', modules], { cwd: folder });
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  mkdirSync(join(modules, '@switchboard-gateway'));
  symlinkSync(join(modules, 'package'), join(modules, '@switchboard-gateway/gateway'));
  command = join(modules, 'package/src/main.cjs');
}, 300_000);

// The tarball that has been made of the same sources before, if there is one.
const { PACKED } = process.env;

describe('the packed package', () => {
  const cache = () => ({ NODE_COMPILE_CACHE: join(folder, 'cache') });
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, env: cache(), timeout: 100_000 });

  test.skipIf(PACKED === undefined)('is the same to the byte, whoever packs it (left out without PACKED)', () => {
    expect(readFileSync(tarball).equals(readFileSync(PACKED ?? ''))).toBe(true);
  });

  test('says what its command can do, in a document that it has', () => {
    const { status, stdout } = run(command, '--help');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^Usage: switchboard \[options\][^]+--port[^]+--upstream/),
    ]);
    const [, name = ''] = /(docs\/\S+\.md)/.exec(stdout) ?? [];
    expect(readFileSync(join(folder, 'node_modules/package', name), 'utf8')).toContain('`UPSTREAM_BASE_URL`');
  });

  test('holds what it runs and its documents, and nothing of the machine that made it', () => {
    const unpacked = join(folder, 'node_modules/package');
    const paths = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));
    const expected =
      /^(?:package\.json|sbom\.cdx\.json|README\.md|CHANGELOG\.md|docs\/(?:(?:clients|guide|reference)\/)?[\w-]+\.(?:md|svg)|schema\.graphql|explorer\/dist\/(?:manifest\.json|assets\/[\w.-]+\.(?:js|css))|src\/[\w./-]+\.(?:c?js|d\.ts|json|css|graphql|svg|wasm))$/;
    expect(paths.filter((path) => !expected.test(path) || /(?:^|\/)\.|\.test\./.test(path))).toEqual([]);
    expect(paths.length).toBeGreaterThan(200);
    const told = paths.filter((path) => {
      const text = readFileSync(join(unpacked, path), 'latin1');
      return (
        text.includes(root.replace(/\/$/, '')) ||
        /-----BEGIN [A-Z ]*PRIVATE KEY|_authToken/.test(text) ||
        // GraphiQL's editor has the word in its code.
        (path.startsWith('src/') && text.includes('sourceMappingURL'))
      );
    });
    expect(told).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as object;
    for (const name of ['scripts', 'devDependencies', 'overrides', 'bundleDependencies'])
      expect(manifest).not.toHaveProperty(name);
  });

  test('has a page of its own, whose links lead to files that it holds', () => {
    const unpacked = join(folder, 'node_modules/package');
    const page = readFileSync(join(unpacked, 'README.md'), 'utf8');
    const links = [...page.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(unpacked, link)))).toEqual([]);
    expect(page).not.toMatch(/npm (?:ci|start)/);
  });

  test('lists the packages that it needs, each with its hash, and nothing that differs from run to run', () => {
    const bom = JSON.parse(readFileSync(join(folder, 'node_modules/package/sbom.cdx.json'), 'utf8'));
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const needed = Object.entries<Json>(lock.packages)
      .filter(([path, { dev, optional }]) => path !== '' && dev !== true && optional !== true)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`);
    expect(bom.components.map((component: Json) => component['bom-ref']).sort()).toEqual([...new Set(needed)].sort());
    expect(bom.components.filter(({ hashes = [] }: Json) => hashes.length === 0)).toEqual([]);
    expect(needed).toContain('graphql@16.15.0');
    expect(bom.dependencies[0].dependsOn).toContain('graphql@16.15.0');
    expect(bom).not.toHaveProperty('serialNumber');
    expect(bom.metadata).toEqual({ component: expect.objectContaining({ name: '@switchboard-gateway/gateway' }) });
  });

  test('starts gateways in the tests of other projects, and has the types of what these import', () => {
    const program = `import { startSwitchboard, type FaultName } from '@switchboard-gateway/gateway/testing';
const fault: FaultName = 'rate-limited';
// @ts-expect-error There is no such fault.
export const none: FaultName = 'rate-limit';
await using gateway = await startSwitchboard();
gateway.sandbox.use(\`\${fault}=5\`, 'only=missions');
const { status } = gateway.sandbox.deliver({ status: 'failed' });
const url = \`\${gateway.graphqlUrl}?query={missions{totalCount}}\`;
const response = await fetch(url, { headers: { authorization: 'Bearer a-key' } });
const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
console.log(status, errors[0]?.extensions.code);
`;
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'esnext,dom'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    expect(run(tsc, ...options, '--types', 'node', 'program.ts')).toMatchObject({ status: 0, stdout: '' });
    expect(run('program.ts')).toMatchObject({ stdout: 'failed RATE_LIMITED\n', stderr: '' });
  });

  test('serves below node_modules, with workers, and ends where npx is told to end, which ends its shell alone', async () => {
    const shell = spawn('sh', ['-c', `'${process.execPath}' '${command}' --port 0 --sandbox; true`], {
      env: { ...cache(), npm_command: 'exec', WARM_UP_MS: '0', PORT: 'not this one', WORKERS: '2' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    // The gateway holds this pipe as long as it lives.
    const closed = once(shell, 'close');
    onTestFinished(() => endGroup(shell.pid));
    let out = '';
    for await (const chunk of shell.stdout.iterator({ destroyOnReturn: false }))
      if (listening.test((out += String(chunk)))) break;
    shell.stdout.resume();
    const [, url = ''] = listening.exec(out) ?? [];
    const { text } = await get(`${url}/graphql?query={ipConnections{totalCount}}`, { key: 'sandbox-key' });
    expect(text).toBe('{"data":{"ipConnections":{"totalCount":604}}}');
    for (const path of ['/', '/graphql', '/voyager', '/schema.graphql', '/docs/guide/start.md', '/docs/agents.md']) {
      const response = await fetch(url + path, { headers: { accept: 'text/html' } });
      expect([path, response.status, (await response.text()).length > 1000]).toEqual([path, 200, true]);
    }
    shell.kill('SIGTERM');
    expect(await closed).toEqual([null, 'SIGTERM']);
  });
});
