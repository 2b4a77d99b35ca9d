import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const project = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'switchboard-entry-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The entry in a project that needs this Node. */
function entryFor(needed: string): string {
  const root = join(folder, needed);
  mkdirSync(join(root, 'src/entry'), { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', engines: { node: `>=${needed}` } }));
  for (const file of ['main.js', 'package.json'])
    copyFileSync(join(project, 'src/entry', file), join(root, 'src/entry', file));
  writeFileSync(join(root, 'src/start.ts'), "const text: string = 'It has started.';\nconsole.log(text);\n");
  symlinkSync('entry/main.js', join(root, 'src/main.ts'));
  return join(root, 'src/main.ts');
}

function run(file: string): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file], { env: {} }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err }));
  });
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

test.for([`${major}.${minor + 1}`, `${major + 1}.0`, `${major + 80}.0`])(
  'a Node older than %s is told in one line what to do',
  async (needed) => {
    const { code, out, err } = await run(entryFor(needed));
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toBe(
      `Switchboard needs Node ${needed} or newer, and this is Node ${process.versions.node}: "npm ci && npm start" brings the right one and uses it.\n`,
    );
  },
);

test.for([`${major}.${minor}`, `${major}.0`, `${major - 1}.99`])(
  'a Node that is as new as %s starts',
  async (needed) => {
    expect(await run(entryFor(needed))).toEqual({ code: 0, out: 'It has started.\n', err: '' });
  },
);
