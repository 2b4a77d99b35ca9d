import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const project = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'switchboard-entry-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A project that needs this Node, with the entry and the link to it. */
function projectFor(needed: string): string {
  const root = join(folder, needed);
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', engines: { node: `>=${needed}` } }));
  copyFileSync(join(project, 'src/main.cjs'), join(root, 'src/main.cjs'));
  writeFileSync(join(root, 'src/start.ts'), "const text: string = 'It has started.';\nconsole.log(text);\n");
  rmSync(join(root, 'src/main.cjs'), { force: true });
  symlinkSync('main.cjs', join(root, 'src/main.cjs'));
  return root;
}

function run(file: string): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file], { env: {} }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err }));
  });
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

const advices = [
  ['the gateway', 'src/main.cjs', '"npm ci && npm start" brings the right one and uses it.'],
  ['the command of the package', 'src/main.cjs', 'install that from https://nodejs.org, and run the command again.'],
] as const;

describe.for(advices)('%s', ([, file, advice]) => {
  test.for([`${major}.${minor + 1}`, `${major + 1}.0`, `${major + 80}.0`])(
    'tells a Node older than %s in one line what to do',
    async (needed) => {
      const { code, out, err } = await run(join(projectFor(needed), file));
      expect(code).toBe(1);
      expect(out).toBe('');
      expect(err).toBe(
        `Switchboard needs Node ${needed} or newer, and this is Node ${process.versions.node}: ${advice}\n`,
      );
    },
  );

  test.for([`${major}.${minor}`, `${major}.0`, `${major - 1}.99`])(
    'starts with a Node that is as new as %s',
    async (needed) => {
      expect(await run(join(projectFor(needed), file))).toEqual({ code: 0, out: 'It has started.\n', err: '' });
    },
  );
});
