import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { notesSdl } from '../federation/notes-subgraph.ts';
import { expect, test } from '../federation/supergraph.ts';

const wgc = fileURLToPath(new URL('node_modules/wgc/dist/src/index.js', import.meta.url));

/** Runs `wgc router compose` over subgraphs: the configuration of Cosmo Router, or what does not compose. */
async function compose(subgraphs: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-cosmo-'));
  try {
    for (const [name, sdl] of Object.entries(subgraphs)) await writeFile(join(folder, `${name}.graphql`), sdl);
    const list = Object.keys(subgraphs).map((name) => {
      return `  - { name: ${name}, routing_url: 'http://127.0.0.1:1/${name}', schema: { file: ./${name}.graphql } }\n`;
    });
    await writeFile(join(folder, 'graph.yaml'), `version: 1\nsubgraphs:\n${list.join('')}`);
    const args = [wgc, 'router', 'compose', '-i', join(folder, 'graph.yaml'), '-o', join(folder, 'router.json')];
    // Nobody is told of a run in a test.
    const env = {
      HOME: folder,
      PATH: process.env['PATH'] ?? '',
      COSMO_TELEMETRY_DISABLED: 'true',
      DISABLE_UPDATE_CHECK: 'true',
    };
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
      execFile(process.execPath, args, { env, cwd: folder }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: out + err }),
      );
    });
    const config = code === 0 ? JSON.parse(await readFile(join(folder, 'router.json'), 'utf8')) : null;
    return { code, output, config };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('wgc router compose makes a configuration of Cosmo Router, with our keys and all fields', async ({ sdl }) => {
  const { code, output, config } = await compose({ switchboard: sdl, notes: notesSdl });
  expect({ code, output }).toMatchObject({ code: 0 });
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
