import { defineConfig } from 'vitest/config';
import { secondAttempts } from './test/support/second-attempts.ts';

export default defineConfig({
  test: {
    ...secondAttempts,
    include: ['test/browser/**/*.test.ts'],
    // As in vitest.config.ts: one graphql for the whole process.
    experimental: { viteModuleRunner: false },
    // One browser at a time: two would share the cores, and GraphiQL alone has enough to do.
    fileParallelism: false,
    // A first start unpacks a browser.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
