import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pageOf, pages, read, root } from '../documents/page.ts';

const blocksOf = (path: string) => pageOf(path).sections.flatMap((section) => section.blocks);
const blockOf = (path: string, start: string): string =>
  blocksOf(path).find(({ line }) => line.startsWith(start))?.text ?? '';
const relay = 'docs/clients/relay.md';
const codegen = 'docs/clients/codegen.md';

test('the page on Relay shows the settings with which the sources here are compiled', () => {
  const { schemaConfig, customScalarTypes } = JSON.parse(blockOf(relay, '{ "src"'));
  expect(JSON.parse(read('test/clients/relay/relay.config.json'))).toMatchObject({ schemaConfig, customScalarTypes });
  expect(read('test/clients/relay/environment.ts')).toContain('getDataID: ({ nodeId }) => nodeId');
  expect(blockOf(relay, 'export const environment')).toContain('getDataID: ({ nodeId }) => nodeId');
});

test('the page on Relay quotes the panic of Relay without its settings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-relay-'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'schema.graphql'), read('src/generated/client-schema.graphql'));
  writeFileSync(join(folder, 'src/bill.ts'), 'graphql`query billQuery { missions { totalCount } }`;');
  const config = { src: './src', language: 'typescript', schema: './schema.graphql' };
  writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
  const compiler = `${root}test/node_modules/relay-compiler/cli.js`;
  const run = promisify(execFile)(process.execPath, [compiler], { cwd: folder });
  const message = 'Expected `Node` to contain a field named `id`.';
  await expect(run).rejects.toThrow(message);
  rmSync(folder, { recursive: true });
  expect(read(relay)).toContain(message);
});

test('the codegen.yml of the page on typed documents makes one of each operation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-codegen-'));
  mkdirSync(join(folder, 'src'));
  symlinkSync(`${root}test/node_modules`, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'codegen.yml'), blockOf(codegen, 'schema: schema.graphql'));
  writeFileSync(join(folder, 'schema.graphql'), read('src/generated/client-schema.graphql'));
  writeFileSync(
    join(folder, 'src/bill.graphql'),
    'query Bill($from: Date!, $to: Date!) { chargesSummary(startDate: $from, endDate: $to) { currency } }',
  );
  const args = [`${root}test/node_modules/@graphql-codegen/cli/cjs/bin.js`, '--config', 'codegen.yml'];
  await promisify(execFile)(process.execPath, args, { cwd: folder });
  const made = readFileSync(join(folder, 'src/documents.ts'), 'utf8');
  rmSync(folder, { recursive: true });
  expect(made).toMatch(/export const BillDocument = .*as unknown as DocumentNode<BillQuery, BillQueryVariables>/s);
  expect(made).toMatch(/from: string;/);
});

test('the page on typed documents names the version of a package that npm installs for the tests', () => {
  const [, name = '', version = ''] = /overrides\.(\S+)=([\d.]+)/.exec(blockOf(codegen, 'npm pkg set')) ?? [];
  const { overrides } = JSON.parse(read('test/package.json'));
  expect(overrides[name]).toBe(version);
});

test.for(pages.map(({ path }) => path).filter((path) => path.startsWith('docs/clients/')))(
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

test('the reviver of the client guide fails in an engine without source text, and does not round in silence', () => {
  const reviver = blocksOf('docs/client-guide.md').find(({ language }) => language === 'js')?.text ?? '';
  const native = JSON.parse;
  const parse: typeof native = (text, revive) => native(text, revive && ((name, value) => revive(name, value)));
  // oxlint-disable-next-line typescript/no-implied-eval
  const parseThere = new Function('JSON', 'text', `${reviver}\nreturn response;`);
  expect(() => parseThere({ parse }, '[9007199254740993]')).toThrow(TypeError);
});
