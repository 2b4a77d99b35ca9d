import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pageOf } from '../../documents/page.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as Manifest;

test.for(['Client preset', 'TanStack Query', 'gql.tada', 'Houdini', 'genql', 'Values'])(
  'the client guide installs the versions that are tested here: %s',
  (title) => {
    const section = pageOf('docs/client-guide.md').sections.find((candidate) => candidate.title === title);
    const lines = section?.blocks.flatMap(({ text }) => text.match(/^npm i .+$/gm) ?? []) ?? [];
    const packages = lines.flatMap((line) => line.split(' ').filter((word) => /^@?[\w/.-]+@\d+$/.test(word)));
    expect(packages).not.toEqual([]);
    for (const word of packages) {
      const [, name = '', major = ''] = /^(.+)@(\d+)$/.exec(word) ?? [];
      expect([name, manifest.dependencies[name]?.split('.')[0]]).toEqual([name, major]);
    }
  },
);
