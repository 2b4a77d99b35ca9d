import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

// The part of the style that the linter's rules cannot express.

const root = new URL('../../', import.meta.url);
const mostColumns = 140;

/** The lines of all sources below a folder, each with its place. */
function linesOf(folder: string): readonly (readonly [place: string, line: string])[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(?:node_modules|generated|\.houdini)\//.test(name))
    .flatMap((name) => {
      const lines = readFileSync(new URL(folder + name, root), 'utf8').split('\n');
      return lines.map((line, index) => [`${folder}${name}:${index + 1}`, line] as const);
    });
}

/** A function at the top level that is a constant; one with a named type has to be. */
function isArrow(line: string): boolean {
  return /^(?:export )?const \w+ = (?:async )?(?:<[^=]*>)?(?:\(.*=>|\($|\w+ =>)/.test(line);
}

function isLongComment(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*)/.test(line) && line.length > mostColumns;
}

describe('the style of the code', () => {
  test('a top-level function of src is a declaration, unless its type is named', () => {
    const lines = linesOf('src/');
    expect(lines.length).toBeGreaterThan(10_000);
    expect(lines.filter(([, line]) => isArrow(line)).map(([place]) => place)).toEqual([]);
  });

  const folders = ['src/', 'client/', 'test/', 'bench/', '.ci/'];
  test.for(folders)(`a line of a comment in %s has at most ${mostColumns} columns`, (folder) => {
    const long = linesOf(folder).filter(([, line]) => isLongComment(line));
    expect(long.map(([place]) => place)).toEqual([]);
  });
});
