import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { expect, test as base } from '../support/gateway.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the project whose schema may be changed. */
interface Project {
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
const test = base.extend<Fixtures>({
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

const mission = 'schema/mission.graphql';
const instructions = / {2}".*"\n {2}instructions: String\n/;
const printed = 'schema.graphql';
const picture = 'src/generated/schema-picture.svg';

describe('the check of the printed schema', () => {
  test('fails where a change breaks clients, and lists what breaks', async ({ project }) => {
    project.edit(mission, instructions, '');
    project.edit(mission, / name: String\n/, ' name: Int\n');
    project.edit(mission, / model: String\n/, ' model: String\n  modelFamily: String\n');
    const { code, out } = await project.run('check');
    expect(code).toBe(1);
    const [breaking, others] = out.split('Other changes of the schema:');
    expect(breaking).toContain("Field 'instructions' was removed from object type 'Mission'");
    expect(breaking).toContain("Field 'Mission.name' changed type from 'String' to 'Int'");
    expect(others).toContain("Field 'modelFamily' was added to object type 'Mission'");
    expect(others).toContain('npm run codegen -- --acknowledge');
  });

  test('prints it once the break is acknowledged, and not before, and fails where the picture is another', async ({
    project,
  }) => {
    project.edit(mission, instructions, '');
    const before = project.read(printed);
    expect(await project.run('print')).toMatchObject({ code: 1 });
    expect(project.read(printed)).toBe(before);
    expect(await project.run('print', '--acknowledge')).toMatchObject({ code: 0 });
    expect(project.read(printed)).not.toContain('  instructions: String');
    // Directives that only a supergraph uses are none of it.
    expect(project.read(printed)).not.toContain('@key');
    project.edit(picture, />Mission</, '>another<');
    expect(await project.run('check')).toEqual({ code: 1, out: expect.stringContaining('npm run codegen') });
  });

  test('fails where the committed schema is behind its sources', async ({ project }) => {
    project.edit(mission, /"Name of the mission\./, '"The name of the mission.');
    expect(await project.run('check')).toEqual({ code: 1, out: expect.stringContaining('npm run codegen') });
  });
});
