import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pageOf, pages, read, root } from '../documents/page.ts';
import { installClient } from '../support/process.ts';

const blocksOf = (path: string) => pageOf(path).sections.flatMap((section) => section.blocks);
const blockOf = (path: string, start: string): string =>
  blocksOf(path).find(({ line }) => line.startsWith(start))?.text ?? '';
const codegen = 'docs/clients/codegen.md';

test('the codegen.ts of the page on typed documents finds documents in .ts, .tsx and .graphql files', async () => {
  await using installed = await installClient();
  const { folder } = installed;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const name of readdirSync(`${root}test/node_modules`))
    symlinkSync(`${root}test/node_modules/${name}`, join(folder, 'node_modules', name));
  const page = (name: string, field: string) =>
    `import { graphql } from './generated';\nexport const query = graphql(\`query ${name} { ${field} }\`);\n`;
  write('package.json', '{ "type": "module" }');
  write('codegen.ts', blockOf(codegen, 'export { default }'));
  write('schema.graphql', read('schema.graphql'));
  write('src/count.ts', page('Count', 'missions { totalCount }'));
  write('src/parts/bill.tsx', page('Bill', 'chargesForecast(month: "2026-11-01") { expected }'));
  write('src/parts/one.graphql', 'query One($id: ID!) { mission(id: $id) { metadata } }');
  // What it made before holds documents too, and is not read.
  write('src/generated/old.ts', page('Old', 'goneMeanwhile'));
  const cli = `${root}test/node_modules/@graphql-codegen/cli/cjs/bin.js`;
  await promisify(execFile)(process.execPath, [cli], { cwd: folder });
  const made = readFileSync(join(folder, 'src/generated/graphql.ts'), 'utf8');
  for (const name of ['Count', 'Bill', 'One']) expect(made).toContain(`export const ${name}Document`);
  expect(made).toContain('expected: `${number}`');
  expect(made).toContain('metadata: Record<string, unknown> | null');
});

test('the page on typed documents names the version of a package that npm installs for the tests', () => {
  const [, name = '', version = ''] = /overrides\.(\S+)=([\d.]+)/.exec(blockOf(codegen, 'npm pkg set')) ?? [];
  const { overrides } = JSON.parse(read('test/package.json'));
  expect(overrides[name]).toBe(version);
});

test.for(pages.map(({ path }) => path).filter((path) => /^docs\/clients\/(?!package)/.test(path)))(
  '%s installs the versions that are tested here',
  (path) => {
    const manifests = ['test/package.json', 'test/clients/projects/package.json'].map((name) => JSON.parse(read(name)));
    const installed = blocksOf(path).flatMap(({ text }) => text.match(/^npm i .+$/gm) ?? []);
    const packages = installed.flatMap((line) => line.split(' ').filter((word) => /^@?[\w/.-]+@\d+$/.test(word)));
    expect(packages).not.toEqual([]);
    for (const word of packages) {
      const [, name = '', major = ''] = /^(.+)@(\d+)$/.exec(word) ?? [];
      const majors = manifests.map(({ dependencies }) => dependencies[name]?.split('.')[0]);
      expect([word, majors]).toEqual([word, expect.arrayContaining([major])]);
    }
  },
);
