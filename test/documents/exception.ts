/** A block of a page that is not run: how it begins, in one line without comments, and why, or the file that has it. */
export interface Exception {
  readonly page: string;
  readonly start: string;
  readonly told: string;
}

type Row = readonly [page: string, start: string, told: string];

const exceptionsOf = (rows: readonly Row[]): readonly Exception[] =>
  rows.map(([page, start, told]) => ({ page, start, told }));

const clients = (name: string): string => `docs/clients/${name}.md`;
const projects = 'test/clients/projects';
const testing = 'examples/testing';
const supergraph = 'docs/supergraph.md';

/** Blocks that are also in a file, which is compiled and tested. */
export const heldBlocks = exceptionsOf([
  ['README.md', 'import { Suspense }', `${projects}/react/src/app.tsx`],
  ['CONTRIBUTING.md', "import { expect, test } from '../support/gateway.ts';", 'test/documents/total-count.test.ts'],
  ['docs/guide/start.md', 'import { expect, test } from', `${testing}/guide.test.ts`],
  [supergraph, 'type IpConnection @key(fields: "id") {', 'test/federation/notes-subgraph.ts'],
  [clients('apollo'), 'import { ApolloClient,', 'examples/react/src/client.ts'],
  [clients('genql'), 'import { createClient,', `${projects}/genql/src/overview.ts`],
  [clients('gql-tada'), '{ "compilerOptions":', `${projects}/gql-tada/tsconfig.json`],
  [clients('gql-tada'), 'import { initGraphQLTada }', `${projects}/gql-tada/src/overview.ts`],
  [clients('houdini'), "/** @type {import('houdini')", `${projects}/houdini/houdini.config.js`],
  [clients('houdini'), 'import { HoudiniClient }', `${projects}/houdini/src/client.ts`],
  [clients('package'), 'import { shareFeed }', 'test/live/client/live-deliveries.ts'],
  [clients('package'), 'import { useLiveDeliveries }', `${projects}/react/src/live-deliveries.tsx`],
  [clients('package'), 'import { gql, useClient,', `${projects}/react/src/mission-list.tsx`],
  [clients('package'), 'import { gatewayErrorsIn,', 'test/clients/error-notice.ts'],
  [clients('relay'), 'import { Environment,', `${projects}/relay/environment.ts`],
  [clients('tanstack-query'), 'import { typedDocuments }', `${projects}/client-preset/codegen.ts`],
  [clients('tanstack-query'), 'import type { TypedDocumentString }', `${projects}/client-preset/src/execute.ts`],
  [clients('tanstack-query'), 'import { infiniteQueryOptions,', `${projects}/client-preset/src/missions.ts`],
  [clients('urql'), 'import type { Exchange }', 'test/clients/urql-cache.ts'],
]);

const operations = 'docs/operations.md';
const agents = 'docs/agents.md';
const sixth = 'docs/sixth-endpoint.md';
const built = 'test/nightly/sixth-endpoint.test.ts builds a gateway with it.';
const host = `The configuration of a host. ${projects}/mcp/mcp.test.ts connects with its SDKs.`;
const conversation = 'test/mcp/conversation.test.ts has the conversation.';

/** Commands that install packages, do not end, or need a program of others. Tests of those rooms do the same. */
export const unrunCommand = /^(?:npm|npx|docker|kubectl|claude) /;

/** Blocks that no test runs as they stand. */
export const unrunBlocks = exceptionsOf([
  [agents, '{ "mcpServers": { "switchboard": { "command"', host],
  [agents, '{ "mcpServers": { "switchboard": { "url"', host],
  [agents, '{ "errors"', 'A result of the tool `spend`; test/mcp/conversation.test.ts gets one like it.'],
  [agents, '"Connections that are switched off."', 'test/mcp/operation.test.ts makes tools of documents.'],
  ['docs/architecture.md', 'client ─HTTP─▶', 'A picture.'],
  [clients('relay'), '{ "src": "./src"', `${projects}/relay/relay.test.ts compares it with the settings in use.`],
  [clients('codegen'), 'export { default } from', 'test/clients/client-guide.test.ts generates types by it.'],
  [
    operations,
    'BIND=127.0.0.1:8080 GATEWAY_1=',
    'It does not end; test/fleet/haproxy.test.ts starts it with the same file.',
  ],
  [operations, 'curl -s http://127.0.0.1:4000/sandbox', 'It would move the clock of all examples.'],
  [operations, '{ "level": "info"', 'test/documents/page.test.ts compares it with a line of the log.'],
  [sixth, 'extend type Query {', built],
  [sixth, 'import type { VoiceProfileRecord }', built],
  [sixth, 'import { clampedPage, paged', built],
  [supergraph, 'curl -s http://127.0.0.1:4002', 'test/routers/walk-through.test.ts sends it.'],
  [supergraph, 'propagateHeaders: {', 'Settings of a router; test/routers/hive-gateway.ts starts one with the like.'],
  [supergraph, 'transportEntries: {', 'test/routers/subscription.test.ts starts Hive Gateway with it.'],
  [supergraph, '[[headers]]', 'test/routers/router.test.ts starts Grafbase with it.'],
  [supergraph, 'headers: { subgraphs: { switchboard: { request: [{ propagate:', 'Of Apollo Router, which was not run.'],
  [supergraph, 'headers: { subgraphs: { switchboard: { request: [{ op:', 'Of Cosmo Router, which was not run.'],
  [supergraph, 'subscription: enabled: true', 'Of Apollo Router, which was not run.'],
  ['examples/agent/README.md', 'question', conversation],
]);
