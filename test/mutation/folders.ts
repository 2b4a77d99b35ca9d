/** Parts of `src/`, and the tests that must notice a fault in them: those of `own` first, then those of `more`. */
export const folders: Readonly<Record<string, { readonly own: readonly string[]; readonly more: readonly string[] }>> =
  {
    'src/paging': { own: ['test/paging'], more: ['test/journeys', 'test/lists', 'test/resources', 'test/live'] },
    'src/billing': {
      own: ['test/billing', 'test/resources/charges', 'test/resources/breakdown'],
      more: ['test/resources', 'test/journeys'],
    },
    'src/limits': { own: ['test/limits'], more: ['test/graphql', 'test/http', 'test/journeys'] },
    'src/lists': { own: ['test/lists'], more: ['test/resources', 'test/journeys', 'test/federation/entities.test.ts'] },
    'src/live': { own: ['test/live'], more: ['test/client', 'test/shared-state', 'test/sockets', 'test/journeys'] },
    'src/upstream': { own: ['test/upstream'], more: ['test/http', 'test/journeys', 'test/telemetry'] },
    'src/http/rules': {
      own: ['test/http/graphql-rule.test.ts'],
      more: ['test/http', 'test/telemetry', 'test/live', 'test/journeys'],
    },
    'src/transcoder': { own: ['test/transcoder'], more: ['test/graphql/execution/bytes', 'test/resources'] },
  };
