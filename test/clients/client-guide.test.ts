import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pageOf, read, root } from '../documents/page.ts';

const blocks = pageOf('docs/client-guide.md').sections.flatMap((section) => section.blocks);
const blockOf = (start: string): string => blocks.find(({ line }) => line.startsWith(start))?.text ?? '';

test('the client guide shows the settings of Relay with which the sources here are compiled', () => {
  const { schemaConfig, customScalarTypes } = JSON.parse(blockOf('{ "src"'));
  expect(JSON.parse(read('test/clients/relay/relay.config.json'))).toMatchObject({ schemaConfig, customScalarTypes });
  expect(read('test/clients/relay/environment.ts')).toContain('getDataID: ({ nodeId }) => nodeId');
  expect(blockOf('export const environment')).toContain('getDataID: ({ nodeId }) => nodeId');
});

test('the client guide quotes the panic of Relay without its settings', async () => {
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
  expect(read('docs/client-guide.md')).toContain(message);
});

test('the codegen.yml of the client guide makes a typed document of each operation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-codegen-'));
  mkdirSync(join(folder, 'src'));
  symlinkSync(`${root}test/node_modules`, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'codegen.yml'), blockOf('schema: schema.graphql'));
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

test('the client guide names the version of a package that npm installs for the tests', () => {
  const [, name = '', version = ''] = /overrides\.(\S+)=([\d.]+)/.exec(blockOf('npm pkg set')) ?? [];
  const { overrides } = JSON.parse(read('test/package.json'));
  expect(overrides[name]).toBe(version);
});
