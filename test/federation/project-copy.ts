import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the project whose schema may be changed. */
export interface Project {
  edit(file: string, from: RegExp, to: string): void;
  read(file: string): string;
  /** Runs `npm run schema:check` or `schema:print` in it. */
  run(task: 'check' | 'print', ...flags: readonly string[]): Promise<{ readonly code: number; readonly out: string }>;
}

/** Vitest's `test` with such a copy, whose printed schema is that of its sources; it goes with the test. */
export const test = base.extend<{ readonly project: Project }>({
  project: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-'));
    for (const name of ['schema', 'src', '.ci', 'package.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    const run: Project['run'] = (task, ...flags) =>
      new Promise((resolve) => {
        const args = [join(folder, '.ci/schema.ts'), task, ...flags];
        execFile(process.execPath, args, { env: {} }, (error, out, err) => {
          resolve({ code: error === null ? 0 : Number(error.code), out: out + err });
        });
      });
    // The copy starts in order, whatever is being worked on.
    await run('print', '--acknowledge');
    await use({
      edit(file, from, to) {
        if (!from.test(read(file))) throw new Error(`${file} has nothing like ${from}.`);
        writeFileSync(join(folder, file), read(file).replace(from, to));
      },
      read,
      run,
    });
    rmSync(folder, { recursive: true });
  },
});

export { expect } from 'vitest';
