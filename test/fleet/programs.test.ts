import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startProgram } from '../support/process.ts';
import { instructions, packages } from './programs.ts';

test('the check before the tests passes where all programs are installed, and says nothing', async () => {
  const program = startProgram('test/fleet/main.ts', { PATH: process.env['PATH'] ?? '' });
  expect(await program.ending).toEqual([0, null]);
  expect(program.out + program.err).toBe('');
});

test('the check before the tests fails with one line that says how to get what is missing', async () => {
  const program = startProgram('test/fleet/main.ts', { PATH: '' });
  // Only /usr/sbin is left, which has no promtool.
  expect(await program.ending).toEqual([1, null]);
  expect(program.err).toMatch(/^The tests of a fleet need [^\n]*promtool[^\n]* apt-get install [^\n]*prometheus\n$/);
});

test('.ci/run installs every package that the instructions name', () => {
  const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');
  for (const name of Object.values(packages)) expect(script).toMatch(new RegExp(`apt-get install [^\\n]* ${name}\\b`));
  expect(instructions(['haproxy'])).toContain('apt-get install --no-install-recommends haproxy');
});
