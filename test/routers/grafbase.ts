import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Subgraph } from '../federation/supergraph.ts';
import { startServing } from '../fleet/programs.ts';
import { freePort } from '../fleet/redis.ts';

const binary = fileURLToPath(new URL('node_modules/@grafbase/cli-x86_64-unknown-linux-musl/grafbase', import.meta.url));

// The configuration that docs/supergraph.md shows.
const page = readFileSync(new URL('../../docs/supergraph.md', import.meta.url), 'utf8');
const [, config = ''] = /```toml\n([^]*?)```/.exec(page) ?? [];

/** Composes subgraphs by Grafbase itself and serves them, in a process of its own. */
export async function startGrafbase(subgraphs: readonly Subgraph[]) {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}/graphql`;
  const overrides = subgraphs.map(({ name, url: own }) => {
    return `[subgraphs.${name}]\nurl = "${own}"\nschema_path = "${name}.graphql"\n`;
  });
  const args = ['--home', '.', 'dev', '-c', 'gateway.toml', '-o', 'overrides.toml', '-p', port];
  return startServing(binary, args, {
    url,
    ready: `${url}?query={__typename}`,
    files: {
      'gateway.toml': config,
      'overrides.toml': overrides.join('\n'),
      ...Object.fromEntries(subgraphs.map(({ name, sdl }) => [`${name}.graphql`, sdl])),
    },
  });
}
