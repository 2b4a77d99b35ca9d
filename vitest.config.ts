import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**'],
    // Vite's own module runner would load a second copy of graphql, and `instanceof GraphQLError` would lie.
    experimental: { viteModuleRunner: false },
    // Vitest would leave a core to itself; on two cores that is one of two.
    maxWorkers: 2,
    testTimeout: 20_000,
  },
});
