import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { tailcallSchema } from './schema.ts';

// Tailcall's program needs glibc 2.39. Debian 12 has an older one: there, that of Debian 13 is unpacked into a folder and used by
// this program only.
const folder = fileURLToPath(new URL('../node_modules/.cache/tailcall/', import.meta.url));
const libraries = `${folder}root/usr/lib/x86_64-linux-gnu`;
const port = 45_678;

const sources =
  'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main';

/** Brings the libraries from Debian, unless they are there. */
function bringLibraries(): void {
  if (existsSync(`${libraries}/libgcc_s.so.1`)) return;
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(folder + name, { recursive: true });
  writeFileSync(`${folder}sources.list`, `${sources}\n`);
  const settings = {
    'Dir::Etc::sourcelist': `${folder}sources.list`,
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': `${folder}lists`,
    'Dir::Cache': folder,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  execFileSync('sh', ['-c', 'apt-get -q "$@" update && apt-get -q "$@" download libc6 libgcc-s1', 'apt', ...options], {
    cwd: folder,
    stdio: 'ignore',
  });
  execFileSync('sh', ['-c', 'for package in *.deb; do dpkg -x "$package" root; done'], { cwd: folder });
}

/** Writes its configuration for an API, and returns the command that starts it; null where it cannot run. */
export function findTailcall(baseUrl: string): { readonly command: readonly string[]; readonly port: number } | null {
  try {
    const program = createRequire(import.meta.url).resolve('@tailcallhq/core-linux-x64-gnu/bin/tailcall');
    bringLibraries();
    const configuration = `${folder}configuration.graphql`;
    writeFileSync(configuration, tailcallSchema(baseUrl, port));
    const loader = [`${libraries}/ld-linux-x86-64.so.2`, '--library-path', libraries];
    return { command: [...loader, program, 'start', configuration], port };
  } catch (error) {
    console.log(`Tailcall is left out: ${(error as Error).message}`);
    return null;
  }
}
