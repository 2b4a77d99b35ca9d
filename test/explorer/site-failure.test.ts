import type * as FileSystem from 'node:fs/promises';
import { vi } from 'vitest';
import { expect, test } from '../support/gateway.ts';

/** How many of the next files of pages cannot be opened, as where strangers hold all descriptors of the process. */
const { failures } = vi.hoisted(() => ({ failures: { left: 0 } }));

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof FileSystem>();
  const readFile = async (path: URL, encoding: 'utf8'): Promise<string> => {
    if (!String(path).includes('/explorer/') || failures.left === 0) return real.readFile(path, encoding);
    failures.left -= 1;
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  };
  return { ...real, default: real, readFile };
});

test.for([
  ['/', 200],
  ['/nothing', 404],
  ['/docs/client-guide.md', 200],
] as const)('%s comes again once its files can be opened again', async ([path, status], { gateway }) => {
  failures.left = 1;
  const visit = (): Promise<Response> => gateway.fetch(path, { headers: { accept: 'text/html' } });
  const failed = await visit();
  expect(failed.status).toBe(500);
  expect(await failed.text()).not.toContain('EMFILE');
  expect((await visit()).status).toBe(status);
});
