import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The gateway runs in this process, and must find one graphql.
    experimental: { viteModuleRunner: false },
    // Vite builds with it, so that the tested page is the served one.
    env: { NODE_ENV: 'production' },
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
