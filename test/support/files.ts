import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder for the tests of a file, which is removed when they have ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Makes such a folder, and returns what writes a file into it; that returns the path. */
export function fileWriter(): (name: string, text: string) => string {
  const folder = temporaryFolder();
  return (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
}

/** Makes such a folder, and returns what makes a new one within it, with these files; that returns the path. */
export function folderWriter(): (files: Readonly<Record<string, string>>) => string {
  const folder = temporaryFolder();
  return (files) => {
    const path = mkdtempSync(join(folder, 'folder-'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    }
    return path;
  };
}
