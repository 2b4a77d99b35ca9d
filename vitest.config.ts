import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { secondAttempts } from './test/support/second-attempts.ts';

// Models of many runs, memory and time of whole processes, and what needs the packages of test/package.json: all that
// `npm run test:quick` leaves out, in the order in which it starts. The longest come first, so that two workers end together.
const long = [
  'test/nightly/world/*.test.ts',
  'test/nightly/sockets/*.test.ts',
  'test/paths/both-paths.test.ts',
  'test/paths/four-paths.test.ts',
  'test/nightly/hostile-growth.test.ts',
  'test/paths/plan/sameness.test.ts',
  'test/upstream/response/held-body.test.ts',
  'test/process/*.test.ts',
  'test/process/workers.test.ts',
  'test/process/shared-state.test.ts',
  'test/paging/contradiction/*.test.ts',
  'test/upstream/response/record.test.ts',
  'test/http/report-size.test.ts',
  'test/upstream/stages/retry.test.ts',
  'test/federation/*.test.ts',
  'test/paths/random-document/*.test.ts',
  'test/upstream/response/huge-value.test.ts',
  'test/paging/page-chain/*.test.ts',
  'test/http/response/message-quote.test.ts',
  'test/http/response/error-flood.test.ts',
  'test/clients/*.test.ts',
  'test/deploy/*.test.ts',
  'test/paging/moving-list.test.ts',
  'test/paging/cursor.test.ts',
  'test/limits/hostile-document.test.ts',
  'test/graphql/semantic-non-null.test.ts',
  'test/limits/bound.test.ts',
  'test/lists/look-up/retrieval.test.ts',
  'test/graphql/attempt-shape.test.ts',
  'test/house/sixth-endpoint.test.ts',
  'test/upstream/isolation.test.ts',
  'test/upstream/stages/slow-callers.test.ts',
  'test/paths/bytes/*.test.ts',
  'test/graphql/argument-length.test.ts',
  'test/sandbox/*.test.ts',
  'test/mcp/*.test.ts',
  'test/http/report-compression.test.ts',
  'test/http/response/directive-argument.test.ts',
  'test/http/connection/stalled-reader.test.ts',
  'test/limits/cost-bound.test.ts',
  'test/pages/guide.test.ts',
];
// Files that replace a module of ours for themselves, or the clock while undici looks at it, which begins its own but once, or that
// take what a process has but once; all others share their worker's modules, which saves half a minute.
const replacing = [
  'test/process/stop.test.ts',
  'test/shared-state/shared-feed.test.ts',
  'test/shared-state/store-reply.test.ts',
  'test/paths/transcoder.test.ts',
];
// Each of these folders is a project of its own, and not part of the others.
const apart = ['test/pages/browser', 'test/clients/projects', 'test/fleet', 'test/routers'].map((folder) => `${folder}/**`);
const installed = '**/node_modules/**';
const houdini = fileURLToPath(new URL('test/clients/projects/houdini/.houdini', import.meta.url));

/** Starts the projects one after the other, for workers belong to one project, and the longest files of each first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ['browser', 'model', 'replacing', 'quick'];
    const rankOf = ({ project, moduleId }: TestSpecification): number => {
      const place = long.findIndex((glob) => matchesGlob(moduleId, `**/${glob}`));
      return order.indexOf(project.name) * (long.length + 1) + (place === -1 ? long.length : place);
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

/** A project that extends what all have in common. */
function project(test: NonNullable<UserWorkspaceConfig['test']>, more: UserWorkspaceConfig = {}) {
  return { ...more, extends: true as const, test };
}

// `npm run test:all` runs browser, model, replacing and quick; each other project has a script of its own. A path on the command line is
// run by the one project that has it.
export default defineConfig({
  test: {
    ...secondAttempts,
    // Vite's own module runner would load a second copy of graphql, and `instanceof GraphQLError` would lie.
    experimental: { viteModuleRunner: false },
    // One more than two cores: many tests wait for browsers, processes and deadlines.
    maxWorkers: 3,
    // A machine that is busy with other things may be several times slower than itself; what hangs, hangs for longer.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      project({ name: 'model', include: long, exclude: [...apart, installed, ...replacing], isolate: false }),
      project({ name: 'replacing', include: replacing }),
      project({
        name: 'quick',
        include: ['test/**/*.test.ts'],
        exclude: [...apart, installed, ...long, ...replacing],
        isolate: false,
      }),
      project({ name: 'browser', include: ['test/pages/browser/**/*.test.ts'] }),
      // With the packages of test/clients/projects/package.json, bundled as a page would be.
      project(
        {
          name: 'clients',
          include: ['test/clients/projects/**/*.test.{ts,tsx}'],
          exclude: [installed],
          experimental: { viteModuleRunner: true },
        },
        { resolve: { alias: { $houdini: houdini } } },
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
