import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { read, root } from '../documents/page.ts';
import { installClient, type ClientInstallation } from '../support/process.ts';

const manifest = JSON.parse(read('client/package.json'));
const entries = Object.entries<string>(manifest.exports);
let installed: ClientInstallation;
let own: string;

beforeAll(async () => {
  installed = await installClient();
  own = join(installed.folder, 'node_modules', manifest.name);
});
afterAll(() => installed[Symbol.asyncDispose]());

/** An entry with all files that it imports. */
function filesOf(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|URL\() ?'(\.[^']+)'/g))
    filesOf(join(dirname(path), name), found);
  return found;
}

test.for(entries)('%s has at most 10 kB, compressed, with all that it imports', ([, path]) => {
  const text = [...filesOf(join(own, path))].map((file) => readFileSync(file, 'utf8')).join('');
  expect(text.length).toBeGreaterThan(100);
  expect(gzipSync(text).length).toBeLessThanOrEqual(10_000);
});

test('the package holds modules, their types and a page, and depends on nothing', () => {
  const paths = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((path) => /\.\w+$/.test(path));
  expect(paths.filter((path) => !/^(?:README\.md|package\.json|dist\/[\w/-]+\.(?:js|d\.ts))$/.test(path))).toEqual([]);
  expect(Object.keys(manifest)).not.toContain('dependencies');
  expect(Object.keys(manifest.peerDependencies)).toEqual(Object.keys(manifest.peerDependenciesMeta));
});

test('each entry can be imported, and has types for a strict compiler without those of Node', async () => {
  const lines = entries.map(([entry], index) => `import * as entry${index} from '${join(manifest.name, entry)}';`);
  const names = entries.map((_, index) => `entry${index}`);
  const { folder } = installed;
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // React is the page's own, and nothing is called here.
  mkdirSync(join(folder, 'node_modules/react'));
  writeFileSync(join(folder, 'node_modules/react/index.js'), '');
  writeFileSync(join(folder, 'page.ts'), `${lines.join('\n')}\nexport const all: object[] = [${names.join(', ')}];\n`);
  const run = promisify(execFile);
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext', '--target', 'es2022'];
  await run(process.execPath, [...tsc, '--lib', 'es2022,dom', 'page.ts'], { cwd: folder });
  const print = "import('./page.js').then(({ all }) => console.log(JSON.stringify(all.map(Object.keys))))";
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', print], { cwd: folder });
  const exported = JSON.parse(stdout) as string[][];
  expect(exported.every((each) => each.length > 0)).toBe(true);
  expect(exported).toHaveLength(entries.length);
});
