import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Subgraph } from '../federation/supergraph.ts';
import { freePort } from '../fleet/redis.ts';

const binary = fileURLToPath(new URL('node_modules/@grafbase/cli-x86_64-unknown-linux-musl/grafbase', import.meta.url));

// The configuration that docs/supergraph.md shows.
const page = readFileSync(new URL('../../docs/supergraph.md', import.meta.url), 'utf8');
const [, config = ''] = /```toml\n([^]*?)```/.exec(page) ?? [];

/** A Grafbase in a process of its own. */
export interface Grafbase extends AsyncDisposable {
  readonly url: string;
}

/** Composes subgraphs by Grafbase itself and serves them; throws what it prints where it does not serve. */
export async function startGrafbase(subgraphs: readonly Subgraph[]): Promise<Grafbase> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-grafbase-'));
  const overrides = subgraphs.map(({ name, url }) => {
    return `[subgraphs.${name}]\nurl = "${url}"\nschema_path = "${join(folder, name)}.graphql"\n`;
  });
  await Promise.all([
    writeFile(join(folder, 'gateway.toml'), config),
    writeFile(join(folder, 'overrides.toml'), overrides.join('\n')),
    ...subgraphs.map(({ name, sdl }) => writeFile(join(folder, `${name}.graphql`), sdl)),
  ]);
  const port = await freePort();
  const args = ['--home', folder, 'dev', '-c', 'gateway.toml', '-o', 'overrides.toml', '-p', String(port)];
  const child = spawn(binary, args, { cwd: folder, env: { HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  const listens = new Promise<boolean>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes(`:${port}/graphql`)) resolve(true);
      });
    child.once('error', (error) => (output += error.message));
    void ended.then(() => resolve(false));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  if (!(await listens)) {
    await stop();
    throw new Error(`Grafbase does not serve: ${output}`);
  }
  return { url: `http://127.0.0.1:${port}/graphql`, [Symbol.asyncDispose]: stop };
}
