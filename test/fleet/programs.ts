import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs that the tests of a fleet start, with the Debian package that has each. */
export const packages = { haproxy: 'haproxy', 'redis-server': 'redis-server', promtool: 'prometheus' } as const;

export type ProgramName = keyof typeof packages;

// Debian keeps servers in a folder that is not on everybody's PATH.
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];

/** The path of a program; null where it is not installed. */
export function findProgram(name: ProgramName): string | null {
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/** The path of a program. Throws with instructions where it is not installed. */
export function programPath(name: ProgramName): string {
  const path = findProgram(name);
  if (path === null) throw new Error(instructions([name]));
  return path;
}

/** How to get programs that are not installed, in one line. */
export function instructions(missing: readonly ProgramName[]): string {
  const names = missing.map((name) => packages[name]).join(' ');
  return `The tests of a fleet need ${missing.join(', ')}. On Debian: apt-get install --no-install-recommends ${names}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
