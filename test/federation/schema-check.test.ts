import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const folder = temporaryFolder();
for (const name of ['schema', 'schema.graphql', 'src', '.ci', 'package.json'])
  cpSync(join(root, name), join(folder, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
// What a test has changed is as it was when the next begins.
afterEach(() => {
  for (const name of ['schema', 'src/generated', 'schema.graphql'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
});

const readCopy = (file: string): string => readFileSync(join(folder, file), 'utf8');

function edit(file: string, from: RegExp, to: string): void {
  if (!from.test(readCopy(file))) throw new Error(`${file} has nothing like ${from}.`);
  writeFileSync(join(folder, file), readCopy(file).replace(from, to));
}

/** Runs `.ci/schema.ts`, to check or to print, in the copy. */
const run = (...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> =>
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
  test('fails where a change breaks clients, and lists what breaks', async () => {
    edit(mission, instructions, '');
    edit(mission, / name: String\n/, ' name: Int\n');
    edit(mission, / model: String\n/, ' model: String\n  modelFamily: String\n');
    const { code, out } = await run('check');
    expect(code).toBe(1);
    const [breaking, others] = out.split('Other changes of the schema:');
    expect(breaking).toContain("Field 'instructions' was removed from object type 'Mission'");
    expect(breaking).toContain("Field 'Mission.name' changed type from 'String' to 'Int'");
    expect(others).toContain("Field 'modelFamily' was added to object type 'Mission'");
    expect(others).toContain('npm run codegen -- --acknowledge');
  });

  test('prints it once the break is acknowledged, and not before, and fails where the picture is another', async () => {
    edit(mission, instructions, '');
    const before = readCopy(printed);
    expect(await run('print')).toMatchObject({ code: 1 });
    expect(readCopy(printed)).toBe(before);
    expect(await run('print', '--acknowledge')).toMatchObject({ code: 0 });
    expect(readCopy(printed)).not.toContain('  instructions: String');
    // Directives that only a supergraph uses are none of it.
    expect(readCopy(printed)).not.toContain('@key');
    edit(picture, />Mission</, '>another<');
    expect(await run('check')).toEqual({ code: 1, out: expect.stringContaining('npm run codegen') });
  });

  test('fails where the committed schema is behind its sources', async () => {
    edit(mission, /"Name of the mission\./, '"The name of the mission.');
    expect(await run('check')).toEqual({ code: 1, out: expect.stringContaining('npm run codegen') });
  });
});
