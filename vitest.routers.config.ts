import { defineConfig } from 'vitest/config';
import { secondAttempts } from './test/support/second-attempts.ts';

// Tests with the packages of test/routers/package.json. They are no part of `npm test`.
export default defineConfig({
  test: {
    ...secondAttempts,
    include: ['test/routers/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // As in vitest.config.ts: one graphql for the whole process.
    experimental: { viteModuleRunner: false },
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
