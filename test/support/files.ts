import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
