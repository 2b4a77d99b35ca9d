import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { read } from '../documents/page.ts';

const [, section = ''] = /^## One request, followed\n([^]*?)^## /m.exec(read('docs/architecture.md')) ?? [];

/** The functions that run for the request of the section, by file. */
function traced(): Readonly<Record<string, readonly string[]>> {
  const [, query = ''] = /`(\{ [^`]*\})`/.exec(section) ?? [];
  const program = fileURLToPath(new URL('traced-request.ts', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [program, query], { encoding: 'utf8' }));
}

const roomOf = (path: string): string => /^src\/[^/]+\//.exec(path)?.[0] ?? 'src/';

test('the page follows a request through ten functions that run for it, and names each room that it passes', () => {
  const ran = traced();
  const steps = [...section.matchAll(/^\d+\. `(src\/[^`]+)`, `([^`]+)`/gm)].map(([, file = '', name = '']) => ({
    file,
    name,
  }));
  expect(steps).toHaveLength(10);
  expect(steps.filter(({ file, name }) => ran[file]?.includes(name) !== true)).toEqual([]);
  const named = [...section.matchAll(/`(src\/[^`]+)`/g)].map(([, path = '']) => roomOf(path));
  const passed = Object.keys(ran)
    .map(roomOf)
    .filter((room) => room !== 'src/');
  expect(new Set(named.filter((room) => room !== 'src/'))).toEqual(new Set(passed));
});
