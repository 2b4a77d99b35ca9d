import { fileURLToPath } from 'node:url';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';

const installed = '**/node_modules/**';
const houdini = fileURLToPath(new URL('test/clients/projects/houdini/.houdini', import.meta.url));
// Our own hooks are imported from their source, from where no React is found.
const react = fileURLToPath(new URL('test/clients/projects/node_modules/react/index.js', import.meta.url));

// Suites of their own, with packages or programs of their own (test/README.md).
const apart = ['test/clients/projects', 'test/fleet', 'test/routers', 'test/nightly'].map((folder) => `${folder}/**`);
// They need what `npm test` installs into test/node_modules.
const withPackages = ['clients', 'deploy', 'federation', 'pages/browser', 'pictures'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);
const clientsInNode = ['test/clients/projects/{feeds,mcp,package,relay}/**/*.test.ts'];
// They replace a module of ours or the clock that undici starts only once, or fill what a process has only once: each has a process to
// itself. All others share the modules of their worker, which saves half a minute.
const alone = [
  'test/process/stop.test.ts',
  'test/shared-state/shared-feed.test.ts',
  'test/shared-state/store-reply.test.ts',
];

// One Chromium for all files, which starts when the first of them asks for it.
const globalSetup = 'test/pages/browser/shared-chromium.ts';

/** A project that extends what all have in common. */
function project(test: NonNullable<UserWorkspaceConfig['test']>, more: UserWorkspaceConfig = {}) {
  return { ...more, extends: true as const, test };
}

// `npm test` runs quick, alone and packages; each other project has a script of its own. A path on the command line is run by the one
// project that has it.
export default defineConfig({
  test: {
    // Vite's own module runner would load a second copy of graphql, and `instanceof GraphQLError` would lie.
    experimental: { viteModuleRunner: false },
    // The API's days are those of UTC, wherever a gateway runs.
    env: { TZ: 'Pacific/Chatham' },
    setupFiles: fileURLToPath(new URL('test/support/runs.ts', import.meta.url)),
    // One more than two cores: many tests wait for browsers, processes and deadlines.
    maxWorkers: 3,
    // What hangs, hangs for longer; a busy machine may be many times slower than a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      project({
        name: 'quick',
        include: ['test/**/*.test.ts'],
        exclude: [...apart, installed, ...withPackages, ...alone],
        isolate: false,
      }),
      project({ name: 'alone', include: alone }),
      project({ name: 'packages', include: withPackages, exclude: [...apart, installed], isolate: false, globalSetup }),
      // One after the other: they measure memory and time, or take all cores themselves.
      project({
        name: 'nightly',
        include: ['test/nightly/**/*.test.ts'],
        exclude: [installed],
        fileParallelism: false,
        globalSetup,
      }),
      // With the packages of test/clients/projects/package.json, in Node, and bundled as a page would be.
      project({ name: 'clients', include: clientsInNode, exclude: [installed] }),
      project(
        {
          name: 'bundled-clients',
          include: ['test/clients/projects/**/*.test.{ts,tsx}'],
          exclude: [installed, ...clientsInNode],
          experimental: { viteModuleRunner: true },
        },
        {
          resolve: {
            alias: [
              { find: '$houdini', replacement: houdini },
              { find: /^react$/, replacement: react },
            ],
          },
        },
      ),
      // With programs of other projects (test/fleet/programs.ts). Each file starts several processes: two would share the cores.
      project({ name: 'fleet', include: ['test/fleet/**/*.test.ts'], fileParallelism: false }),
      // With the packages of test/routers/package.json.
      project({
        name: 'routers',
        include: ['test/routers/**/*.test.ts'],
        exclude: [installed],
        fileParallelism: false,
      }),
    ],
  },
});
