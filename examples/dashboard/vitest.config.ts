import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The gateway runs in this process, and must find one graphql.
    experimental: { viteModuleRunner: false },
    // Vite builds by it, and what is tested is what would be served.
    env: { NODE_ENV: 'production' },
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
