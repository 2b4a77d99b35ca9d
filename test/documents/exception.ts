/** A block of a page that is also in a file, which is compiled and tested. */
export interface HeldBlock {
  readonly page: string;
  /** How the block begins: in one line, comments left out. */
  readonly start: string;
  readonly file: string;
}

/** A block of a page that no test runs as it stands. */
export interface UnrunBlock {
  readonly page: string;
  readonly start: string;
  readonly reason: string;
}

const clients = (name: string): string => `docs/clients/${name}.md`;
const tanstack = clients('tanstack-query');
const projects = 'test/clients/projects';
const supergraph = 'docs/supergraph.md';
const agents = 'docs/agents.md';
const host = 'The configuration of a host. test/clients/projects/mcp/mcp.test.ts connects with its SDKs.';

export const heldBlocks: readonly HeldBlock[] = [
  { page: 'docs/guide/start.md', start: 'import { expect, test } from', file: 'examples/testing/guide.test.ts' },
  { page: clients('package'), start: 'import { shareFeed }', file: 'test/live/client/live-deliveries.ts' },
  {
    page: clients('package'),
    start: 'import { useLiveDeliveries }',
    file: `${projects}/react/src/live-deliveries.tsx`,
  },
  { page: clients('package'), start: 'import { gql, useClient,', file: `${projects}/react/src/mission-list.tsx` },
  { page: clients('apollo'), start: 'import { ApolloClient,', file: 'examples/react/src/client.ts' },
  { page: clients('urql'), start: 'import type { Exchange }', file: 'test/clients/urql-cache.ts' },
  { page: clients('relay'), start: 'import { Environment,', file: 'test/clients/projects/relay/environment.ts' },
  { page: clients('package'), start: 'import { gatewayErrorsIn,', file: 'test/clients/error-notice.ts' },
  { page: tanstack, start: 'import { typedDocuments }', file: `${projects}/client-preset/codegen.ts` },
  { page: tanstack, start: 'import type { TypedDocumentString }', file: `${projects}/client-preset/src/execute.ts` },
  { page: tanstack, start: 'import { infiniteQueryOptions,', file: `${projects}/client-preset/src/missions.ts` },
  { page: clients('gql-tada'), start: '{ "compilerOptions":', file: `${projects}/gql-tada/tsconfig.json` },
  { page: clients('gql-tada'), start: 'import { initGraphQLTada }', file: `${projects}/gql-tada/src/overview.ts` },
  { page: clients('houdini'), start: "/** @type {import('houdini')", file: `${projects}/houdini/houdini.config.js` },
  { page: clients('houdini'), start: 'import { HoudiniClient }', file: `${projects}/houdini/src/client.ts` },
  { page: clients('genql'), start: 'import { createClient,', file: `${projects}/genql/src/overview.ts` },
  { page: 'README.md', start: 'import { Suspense }', file: `${projects}/react/src/app.tsx` },
  {
    page: supergraph,
    start: 'type IpConnection @key(fields: "id") {',
    file: 'test/federation/notes-subgraph.ts',
  },
  {
    page: 'CONTRIBUTING.md',
    start: "import { expect, test } from '../support/gateway.ts';",
    file: 'test/documents/total-count.test.ts',
  },
];

/** Pages on clients, and how their blocks that install packages begin. */
const pagesOnClients = [
  ['apollo', 'npm i'],
  ['urql', 'npm i'],
  ['relay', 'npm i'],
  ['codegen', 'npm i graphql@16'],
  ['tanstack-query', 'npm i graphql@16'],
  ['tanstack-query', 'npm i @tanstack/react-query@5'],
  ['gql-tada', 'npm i'],
  ['houdini', 'npm i'],
] as const;

const install = 'It installs packages; .ci/run does so for the project.';
const program = 'A server that does not end; test/process/start.test.ts starts the same file.';
const byHand = 'It takes minutes, and is run by hand.';

const sixth = 'docs/sixth-endpoint.md';
const built = 'test/house/sixth-endpoint.test.ts builds a gateway with it.';

export const unrunBlocks: readonly UnrunBlock[] = [
  {
    page: 'examples/testing/README.md',
    start: 'npm --prefix examples/testing ci',
    reason: 'npm run test:clients runs it.',
  },
  {
    page: 'examples/react/README.md',
    start: 'npm start #',
    reason: 'Servers that do not end; npm run test:clients builds it.',
  },
  { page: sixth, start: 'extend type Query {', reason: built },
  { page: sixth, start: 'import type { VoiceProfileRecord }', reason: built },
  { page: sixth, start: 'import { clampedPage, paged', reason: built },
  { page: 'bench/README.md', start: 'npm --prefix bench run traces', reason: byHand },
  { page: 'bench/capacity.md', start: 'npm --prefix bench run workers', reason: byHand },
  {
    page: 'docs/deployment.md',
    start: 'docker build',
    reason: 'No engine is a dependency; deploy/prove-image.sh builds and runs the same file.',
  },
  {
    page: 'docs/deployment.md',
    start: 'docker compose',
    reason: 'No engine is a dependency; test/deploy/compose.test.ts reads the file.',
  },
  {
    page: 'docs/deployment.md',
    start: 'kubectl apply',
    reason: 'No cluster is at hand; test/deploy/kubernetes.test.ts reads the files.',
  },
  {
    page: 'docs/operations.md',
    start: 'BIND=127.0.0.1:8080 GATEWAY_1=',
    reason: 'A server that does not end; test/fleet/haproxy.test.ts starts it with the same file.',
  },
  {
    page: 'docs/operations.md',
    start: 'curl -s http://127.0.0.1:4000/sandbox',
    reason: 'It would move the clock of all examples; test/http/endpoints/sandbox-endpoints.test.ts sends the same.',
  },
  { page: 'README.md', start: 'npm ci && npm start', reason: install },
  { page: 'README.md', start: 'npm create vite', reason: install },
  {
    page: 'docs/deployment.md',
    start: 'npx ./switchboard',
    reason: 'test/deploy/package.test.ts packs it and starts it.',
  },
  { page: 'CONTRIBUTING.md', start: 'npm ci #', reason: install },
  {
    page: clients('package'),
    start: 'npm i ./switchboard-gateway-client',
    reason: 'test/live/client/package.test.ts packs it and uses it.',
  },
  ...pagesOnClients.map(([name, start]) => ({
    page: clients(name),
    start,
    reason: 'It installs packages; test/clients/client-guide.test.ts compares the versions.',
  })),
  {
    page: clients('codegen'),
    start: 'npm pkg set',
    reason: 'It changes a manifest; test/clients/client-guide.test.ts compares it with that of the tests.',
  },
  ...(
    [
      ['tanstack-query', 'npx graphql-codegen'],
      ['gql-tada', 'npx gql.tada'],
      ['houdini', 'npx houdini'],
      ['genql', 'npm i -D @genql/cli@6'],
    ] as const
  ).map(([name, start]) => ({
    page: clients(name),
    start,
    reason: `It needs packages of its own; ${projects}/generate.ts runs it.`,
  })),
  {
    page: clients('relay'),
    start: '{ "src": "./src"',
    reason: 'test/clients/client-guide.test.ts compares it with the settings in use.',
  },
  {
    page: clients('codegen'),
    start: 'export { default } from',
    reason: 'test/clients/client-guide.test.ts generates types by it.',
  },
  { page: 'docs/operations.md', start: 'npm run sandbox', reason: program },
  {
    page: 'docs/operations.md',
    start: '{ "level": "info"',
    reason: 'test/documents/page.test.ts compares it with a line of the log.',
  },
  { page: 'bench/README.md', start: 'npm run bench', reason: byHand },
  { page: 'bench/README.md', start: 'npm --prefix bench ci', reason: byHand },
  { page: agents, start: 'claude mcp add', reason: host },
  { page: agents, start: '{ "mcpServers": { "switchboard": { "command"', reason: host },
  { page: agents, start: '{ "mcpServers": { "switchboard": { "url"', reason: host },
  {
    page: agents,
    start: '{ "errors"',
    reason: 'A result of the tool `spend`; test/mcp/conversation.test.ts gets one like it.',
  },
  {
    page: agents,
    start: '"Connections that are switched off."',
    reason: 'test/mcp/operation.test.ts makes tools of documents.',
  },
  {
    page: 'examples/agent/README.md',
    start: 'npx node examples/agent/main.ts',
    reason: 'test/mcp/conversation.test.ts has the conversation.',
  },
  {
    page: 'examples/agent/README.md',
    start: 'question',
    reason: 'test/mcp/conversation.test.ts has the conversation.',
  },
  { page: 'docs/architecture.md', start: 'client ─HTTP─▶', reason: 'A picture.' },
  {
    page: supergraph,
    start: 'curl -s http://127.0.0.1:4002',
    reason: 'test/routers/walk-through.test.ts sends it.',
  },
  {
    page: supergraph,
    start: 'propagateHeaders: {',
    reason: 'A part of the settings of a router; test/routers/hive.ts starts one with the like.',
  },
  {
    page: supergraph,
    start: 'transportEntries: {',
    reason: 'test/routers/subscription.test.ts starts Hive Gateway with it.',
  },
  { page: supergraph, start: '[[headers]]', reason: 'test/routers/router.test.ts starts Grafbase with it.' },
  {
    page: supergraph,
    start: 'npm ci npm run notes',
    reason: 'It installs packages, and was run by hand; test/routers/walk-through.test.ts runs a router like it.',
  },
];
