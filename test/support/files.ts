import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder for the tests of a file, which is removed when they have ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
