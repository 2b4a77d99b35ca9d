import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSchema } from 'graphql';
import { notesSdl } from '../federation/notes-subgraph.ts';
import { expect, test } from '../federation/supergraph.ts';
import { folderWriter } from '../support/files.ts';

const folderOf = folderWriter();
const wgc = fileURLToPath(new URL('node_modules/wgc/dist/src/index.js', import.meta.url));

/** Runs `wgc router compose` over subgraphs, and returns the configuration of Cosmo Router; throws what does not compose. */
async function compose(subgraphs: Readonly<Record<string, string>>) {
  const list = Object.keys(subgraphs).map((name) => {
    return `  - { name: ${name}, routing_url: 'http://127.0.0.1:1/${name}', schema: { file: ./${name}.graphql } }\n`;
  });
  const schemas = Object.entries(subgraphs).map(([name, sdl]) => [`${name}.graphql`, sdl]);
  const cwd = folderOf({ ...Object.fromEntries(schemas), 'graph.yaml': `version: 1\nsubgraphs:\n${list.join('')}` });
  const args = [wgc, 'router', 'compose', '-i', join(cwd, 'graph.yaml'), '-o', join(cwd, 'router.json')];
  // Nobody is told of a run in a test.
  const quiet = { COSMO_TELEMETRY_DISABLED: 'true', DISABLE_UPDATE_CHECK: 'true' };
  const env = { HOME: cwd, PATH: process.env['PATH'] ?? '', ...quiet };
  await promisify(execFile)(process.execPath, args, { env, cwd });
  return JSON.parse(readFileSync(join(cwd, 'router.json'), 'utf8'));
}

test('wgc router compose makes a configuration of Cosmo Router, with our keys and all fields', async ({ sdl }) => {
  const config = await compose({ switchboard: sdl, notes: notesSdl });
  const [ours, notes] = config.engineConfig.datasourceConfigurations;
  expect(config.subgraphs.map(({ name }: { name: string }) => name)).toEqual(['switchboard', 'notes']);
  const keysOf = ({ keys }: { keys: { typeName: string; selectionSet: string }[] }): string[] =>
    keys.map(({ typeName, selectionSet }) => `${typeName} ${selectionSet}`).sort();
  expect(keysOf(ours)).toEqual(['IpConnection id', 'Mission id', 'WebhookDelivery id']);
  expect(keysOf(notes)).toContain('IpConnection id');
  const schema = buildSchema(config.engineConfig.graphqlSchema, { assumeValidSDL: true });
  const queries = Object.keys(schema.getQueryType()?.getFields() ?? {});
  expect(queries).toEqual(expect.arrayContaining(['chargesSummary', 'ipConnections', 'missions', 'node', 'notes']));
});
