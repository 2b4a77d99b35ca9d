import { defineConfig } from 'vitest/config';
import { secondAttempts } from './test/support/second-attempts.ts';

// Tests that need programs of other projects (test/fleet/programs.ts). They are no part of `npm test`.
export default defineConfig({
  test: {
    ...secondAttempts,
    include: ['test/fleet/**/*.test.ts'],
    // As in vitest.config.ts: one graphql for the whole process.
    experimental: { viteModuleRunner: false },
    // Each file starts several processes: two files side by side would share the cores.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
