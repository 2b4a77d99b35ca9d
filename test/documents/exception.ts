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

const guide = 'docs/client-guide.md';
const projects = 'test/clients/projects';
const supergraph = 'docs/supergraph.md';
const agents = 'docs/agents.md';
const host = 'The configuration of a host. test/clients/mcp.test.ts connects with its SDKs.';

export const heldBlocks: readonly HeldBlock[] = [
  { page: guide, start: "import { createClient } from 'graphql-sse';", file: 'test/clients/follow-deliveries.ts' },
  { page: guide, start: "import { InMemoryCache } from '@apollo/client';", file: 'test/clients/apollo-cache.ts' },
  { page: guide, start: "import type { Exchange } from '@urql/core';", file: 'test/clients/urql-cache.ts' },
  { page: guide, start: "import { parse } from 'lossless-json';", file: `${projects}/large-integer.ts` },
  { page: guide, start: 'import type { CodegenConfig }', file: `${projects}/client-preset/codegen.ts` },
  { page: guide, start: 'import type { TypedDocumentString }', file: `${projects}/client-preset/src/execute.ts` },
  { page: guide, start: 'import { infiniteQueryOptions,', file: `${projects}/client-preset/src/missions.ts` },
  { page: guide, start: '{ "compilerOptions": { "strict": true', file: `${projects}/gql-tada/tsconfig.json` },
  { page: guide, start: "import { initGraphQLTada } from 'gql.tada';", file: `${projects}/gql-tada/src/overview.ts` },
  { page: guide, start: "/** @type {import('houdini')", file: `${projects}/houdini/houdini.config.js` },
  { page: guide, start: "import { HoudiniClient } from '$houdini';", file: `${projects}/houdini/src/client.ts` },
  { page: guide, start: 'import { createClient, type QueryGenqlSelection', file: `${projects}/genql/src/overview.ts` },
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

const install = 'It installs packages; .ci/run does so for the project.';
const program = 'A server that does not end; test/process/process.test.ts starts the same file.';
const byHand = 'It takes minutes, and is run by hand.';
const balancer = 'Settings of a load balancer that is no dependency: from its documentation.';
const router = 'Settings of a router that is no dependency: from its documentation, as the page says.';

const sixth = 'docs/sixth-endpoint.md';
const built = 'test/house/sixth-endpoint.test.ts builds a gateway with it.';

export const unrunBlocks: readonly UnrunBlock[] = [
  { page: sixth, start: 'extend type Query {', reason: built },
  { page: sixth, start: 'import { wireField } from', reason: built },
  { page: sixth, start: 'import { clampedPage, paged }', reason: built },
  { page: 'bench/README.md', start: 'npm --prefix bench run traces', reason: byHand },
  { page: 'docs/capacity.md', start: 'npm --prefix bench run workers', reason: byHand },
  { page: 'docs/operations.md', start: 'upstream switchboard {', reason: balancer },
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
    reason: 'A server that does not end; test/fleet/affinity.test.ts starts it with the same file.',
  },
  { page: 'README.md', start: 'npm ci && npm start', reason: install },
  { page: 'CONTRIBUTING.md', start: 'npm ci #', reason: install },
  { page: guide, start: 'npm run sandbox', reason: program },
  {
    page: guide,
    start: 'UPSTREAM_BASE_URL=http://127.0.0.1:4010/v2 npm start',
    reason: program,
  },
  { page: guide, start: 'npm i graphql@16 @graphql-typed-document-node/core', reason: install },
  ...[
    'npm i lossless-json@4',
    'npm i graphql@16 npm i -D @graphql-codegen/cli@7 @graphql-codegen/client-preset@6',
    'npm i @tanstack/react-query@5',
    'npm i gql.tada@1',
    'npm i -D houdini@2',
  ].map((start) => ({
    page: guide,
    start,
    reason: `It installs packages; ${projects}/client-guide.test.ts compares the versions.`,
  })),
  {
    page: guide,
    start: 'npm pkg set',
    reason: 'It changes a manifest; test/clients/client-guide.test.ts compares it with that of the tests.',
  },
  ...['npx graphql-codegen', 'npx gql.tada', 'npx houdini', 'npm i -D @genql/cli@6'].map((start) => ({
    page: guide,
    start,
    reason: `It needs packages of its own; ${projects}/generate.ts runs it.`,
  })),
  {
    page: guide,
    start: '{ "src": "./src"',
    reason: 'test/clients/client-guide.test.ts compares it with the settings in use.',
  },
  {
    page: guide,
    start: 'schema: schema.graphql',
    reason: 'test/clients/client-guide.test.ts generates documents by it.',
  },
  {
    page: guide,
    start: 'export const environment',
    reason: "A line for an environment of one's own; test/clients/client-guide.test.ts finds it in that of the tests.",
  },
  { page: 'docs/operations.md', start: 'npm run sandbox', reason: program },
  {
    page: 'docs/operations.md',
    start: '{ "level": "info"',
    reason: 'test/documents/page.test.ts compares it with a line of the log.',
  },
  { page: 'docs/reliability.md', start: 'npm run soak', reason: byHand },
  {
    page: 'docs/reliability.md',
    start: 'FUZZ_DOCUMENTS=50000',
    reason: `${byHand} test/fuzz/document.test.ts runs with fewer.`,
  },
  {
    page: 'docs/reliability.md',
    start: 'npm run attack',
    reason: `${byHand} test/attack/planted-fault.test.ts runs rounds of it.`,
  },
  {
    page: 'docs/strangers-budget.md',
    start: 'npm run attack #',
    reason: `${byHand} test/attack/attack.test.ts runs a minute of it.`,
  },
  { page: 'bench/README.md', start: 'npm run bench', reason: byHand },
  { page: 'bench/README.md', start: 'npm --prefix bench ci', reason: byHand },
  { page: agents, start: 'claude mcp add', reason: host },
  { page: agents, start: '{ "mcpServers": { "switchboard": { "command"', reason: host },
  { page: agents, start: '{ "mcpServers": { "switchboard": { "url"', reason: host },
  { page: agents, start: '{ "inputs"', reason: host },
  { page: agents, start: '[mcp_servers.switchboard]', reason: host },
  { page: agents, start: '{ "mcpServers": { "switchboard": { "httpUrl"', reason: host },
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
    start: 'npm run agent',
    reason: 'test/mcp/conversation.test.ts has the conversation.',
  },
  {
    page: 'examples/agent/README.md',
    start: 'question',
    reason: 'test/mcp/conversation.test.ts has the conversation.',
  },
  { page: 'README.md', start: 'npx ./switchboard', reason: 'test/process/package.test.ts packs it and starts it.' },
  { page: 'examples/dashboard/README.md', start: 'npm run dashboard', reason: install },
  { page: 'examples/dashboard/README.md', start: 'npm ci && npm test', reason: install },
  { page: 'docs/architecture.md', start: 'client ─HTTP─▶', reason: 'A picture.' },
  { page: supergraph, start: 'import { createServer }', reason: 'test/federation/walk-through.test.ts runs it.' },
  {
    page: supergraph,
    start: 'curl -s http://127.0.0.1:4002',
    reason: 'test/federation/walk-through.test.ts sends it.',
  },
  {
    page: supergraph,
    start: 'propagateHeaders: {',
    reason: 'A part of the settings of a router; test/federation/router.ts starts one with the like.',
  },
  { page: supergraph, start: '[[headers]]', reason: 'test/routers/router.test.ts starts Grafbase with it.' },
  { page: supergraph, start: 'federation_version: =2.9.0', reason: router },
  { page: supergraph, start: 'version: 1', reason: router },
  { page: supergraph, start: 'headers: subgraphs: switchboard: request: - propagate:', reason: router },
  { page: supergraph, start: 'headers: subgraphs: switchboard: request: - { op:', reason: router },
  { page: supergraph, start: 'include_subgraph_errors: all: {', reason: router },
  { page: supergraph, start: 'subgraph_error_propagation:', reason: router },
  { page: supergraph, start: 'error_masking:', reason: router },
];
