import { defineConfig } from 'vitest/config';

// Files that replace a module of ours for themselves, or the clock while undici looks at it, which begins its own but once;
// all others share their worker's modules, which saves half a minute.
const replacing = [
  'test/fuzz/canary.test.ts',
  'test/process/stop.test.ts',
  'test/lying-upstream/planted-fault.test.ts',
  'test/paging/cursor-form.test.ts',
];
const others = ['test/browser/**', '**/node_modules/**'];

export default defineConfig({
  test: {
    // Vite's own module runner would load a second copy of graphql, and `instanceof GraphQLError` would lie.
    experimental: { viteModuleRunner: false },
    // Vitest would leave a core to itself; on two cores that is one of two.
    maxWorkers: 2,
    // A machine that is busy with other things may be several times slower than itself; what hangs, hangs for longer.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: [...others, ...replacing], isolate: false },
      },
      { extends: true, test: { name: 'replacing', include: replacing, isolate: true } },
    ],
  },
});
