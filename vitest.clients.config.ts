import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { secondAttempts } from './test/support/second-attempts.ts';

const houdini = fileURLToPath(new URL('test/clients/projects/houdini/.houdini', import.meta.url));

// Tests with the packages of test/clients/projects/package.json, bundled as a page would be. They are no part of `npm test`.
export default defineConfig({
  resolve: { alias: { $houdini: houdini } },
  test: {
    ...secondAttempts,
    include: ['test/clients/projects/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
