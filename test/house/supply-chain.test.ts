import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../documents/page.ts';
import type { Json } from '../support/records.ts';

function read(path: string): Json {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

const shipped = ['0BSD', 'Apache-2.0', 'ISC', 'MIT'];
const ofTools =
  '(MIT OR Apache-2.0), BSD-2-Clause, BSD-3-Clause, BlueOak-1.0.0, CC-BY-4.0, CC0-1.0, MPL-2.0, PSF-2.0, Python-2.0'.split(
    ', ',
  );

function lockedIn(path: string): readonly Json[] {
  const entries = Object.entries<Json>(read(path).packages).map(([name, locked]) => ({ ...locked, path: name }));
  return entries.filter(({ path: name, link }) => name.includes('node_modules/') && link !== true);
}

test('every package that is shipped has a permissive licence, every tool one of the list', () => {
  const ofGateway = lockedIn('package-lock.json');
  const ofTests = lockedIn('test/package-lock.json').filter(({ license }) => license !== undefined);
  const others = (packages: readonly Json[], allowed: readonly string[]) =>
    packages.filter(({ license = 'none' }) => !allowed.includes(license));
  expect(
    others(
      ofGateway.filter(({ dev }) => dev !== true),
      shipped,
    ),
  ).toEqual([]);
  expect(others([...ofGateway, ...ofTests], [...shipped, ...ofTools])).toEqual([]);
});

test('every package is pinned by version and hash', () => {
  const manifest = read('package.json') as Record<string, Readonly<Record<string, string>>>;
  const wanted = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}),
  );
  expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(lockedIn('package-lock.json').filter(({ integrity = '' }) => !integrity.startsWith('sha512-'))).toEqual([]);
});

test('the one binary is made of sources in this repository', () => {
  const folders = '{.ci,bench,client,deploy,docs,examples,schema,src,test}';
  const binaries = globSync(`${folders}/**/*.{exe,dll,so,dylib,jar,class,pyc,o,a,node,wasm,gz,tgz,zip}`, {
    cwd: root,
    exclude: (name) => /(?:^|\/)node_modules$/.test(name),
  });
  expect(binaries).toEqual(['src/transcoder/transcoder.wasm']);
});
