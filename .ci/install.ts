import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// `node .ci/install.ts <folder>…` brings the packages of folders that have a lock of their own, unless they are there.
const root = fileURLToPath(new URL('../', import.meta.url));

/** Installs what the lock of a folder says; does nothing if that has been installed before. */
export async function install(folder: string): Promise<void> {
  const lock = join(root, folder, 'package-lock.json');
  // npm keeps no lock that can be compared: the last one that was installed whole is kept here.
  const installed = join(root, folder, 'node_modules/.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return;
  await promisify(execFile)('npm', ['--prefix', folder, '--loglevel', 'error', 'ci'], { cwd: root, maxBuffer: 1e8 });
  copyFileSync(lock, installed);
}

if (import.meta.main) for (const folder of process.argv.slice(2)) await install(folder);
