import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../documents/page.ts';

/** A folder in which the client package is installed from what `npm pack` makes. Disposing removes it. */
export interface ClientInstallation extends AsyncDisposable {
  readonly folder: string;
}

const run = promisify(execFile);

/** Packs a copy of the package, so that nothing else that runs sees it half written, and installs that. */
export async function installClient(): Promise<ClientInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-client-'));
  const source = join(folder, 'source/client');
  const modules = join(folder, 'node_modules');
  for (const name of ['src', 'package.json', 'tsconfig.json', 'README.md'])
    await cp(join(root, 'client', name), join(source, name), { recursive: true });
  await cp(join(root, 'tsconfig.json'), join(folder, 'source/tsconfig.json'));
  const programs = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const pack = ['pack', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: source, env: { ...process.env, PATH: programs } });
  const packed = stdout.trim().split('\n').at(-1) ?? '';
  const installed = join(modules, '@switchboard-gateway/client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', join(folder, packed), '-C', installed, '--strip-components=1']);
  await rm(join(folder, 'source'), { recursive: true });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
