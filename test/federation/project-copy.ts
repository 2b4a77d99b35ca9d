import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the project whose schema may be changed. */
export interface Project {
  edit(file: string, from: RegExp, to: string): void;
  read(file: string): string;
  /** Runs `.ci/schema.ts`, to check or to print, in it. */
  run(task: 'check' | 'print', ...flags: readonly string[]): Promise<{ readonly code: number; readonly out: string }>;
}

interface Fixtures {
  /** One copy for a file of tests. */
  readonly folder: string;
  /** The same; what a test has changed is as it was when the next begins. */
  readonly project: Project;
}

/** Vitest's `test` with such a copy. */
export const test = base.extend<Fixtures>({
  folder: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-'));
      for (const name of ['schema', 'schema.graphql', 'src', '.ci', 'package.json'])
        cpSync(join(root, name), join(folder, name), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      await use(folder);
      rmSync(folder, { recursive: true });
    },
    { scope: 'file' },
  ],
  project: async ({ folder }, use) => {
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    const files = ['schema', 'src/generated']
      .flatMap((name) =>
        readdirSync(join(folder, name), { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(name, entry.name)),
      )
      .concat('schema.graphql');
    const before = files.map((file) => [file, read(file)] as const);
    await use({
      edit(file, from, to) {
        if (!from.test(read(file))) throw new Error(`${file} has nothing like ${from}.`);
        writeFileSync(join(folder, file), read(file).replace(from, to));
      },
      read,
      run: (task, ...flags) => run(folder, task, ...flags),
    });
    for (const [file, text] of before) writeFileSync(join(folder, file), text);
  },
});

const run = (folder: string, ...args: readonly string[]): ReturnType<Project['run']> =>
  new Promise((resolve) => {
    const env = { NODE_COMPILE_CACHE: join(folder, 'cache') };
    execFile(process.execPath, [join(folder, '.ci/schema.ts'), ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out: out + err });
    });
  });

export { expect } from 'vitest';
