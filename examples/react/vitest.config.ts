import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Here the package is a link to this repository, whose sources Vite would bundle. One that is installed needs no such line.
    experimental: { viteModuleRunner: false },
    // One browser at a time.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
