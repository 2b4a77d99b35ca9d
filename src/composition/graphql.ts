import type { GraphQLSchema } from 'graphql';
import type { CancelSignal } from '../cancellation.ts';
import type { AppConfig } from '../config.ts';
import { createExecutor, createSubscriber } from '../graphql/execution/executor.ts';
import { createGraphqlExecution, type GraphqlExecution } from '../http/graphql-execution.ts';
import type { GraphqlRule } from '../http/run.ts';
import { graphqlRules } from '../http/rules/graphql-rules.ts';
import { createGraphqlServer, type RespondGraphql } from '../http/graphql-server.ts';
import { Documents, type ReadOperation } from '../http/documents.ts';
import { readTrustedDocuments } from '../http/trusted-documents.ts';
import { createBodyReader, type ReadBody } from '../http/request/body-reader.ts';
import type { ChooseCoding } from '../http/response/compression.ts';
import type { CheckOrigin, Origins } from '../http/origins.ts';
import { ReaderRoom } from '../http/connection/readers.ts';
import { createSocketServer, type SocketServer } from '../http/websocket/socket-server.ts';
import { createCostEstimate } from '../limits/cost.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { reportCost } from '../limits/field-cost.ts';
import type { DeliveryFeeds } from '../live/delivery-feeds.ts';
import { createRequestContexts } from '../request-context.ts';
import { FieldUsage } from '../telemetry/field-usage.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics, CountViolation } from '../telemetry/metrics.ts';
import type { Upstream } from './upstream.ts';
import type { Exchange, ExchangeParts } from '../http/request/exchange.ts';
import { logInternalError, reportFailure } from '../http/response/error-response.ts';
import { createMcpServer, type McpServer } from '../mcp/mcp-server.ts';
import type { ProtocolFormat } from '../mcp/protocol.ts';
import { createQueryTool } from '../mcp/query-tool.ts';
import { readTools } from '../mcp/operation-tool.ts';
import type { ReadCredential } from '../upstream/credential.ts';

/** A query of an agent's own may cost one part in so many of LIMIT_COST: it is not reviewed, and its result is read by a model. */
export const freeQueryPart = 4;

/** The parts of the process that GraphQL requests need. */
export interface GraphqlParts {
  readonly upstream: Upstream;
  readonly feeds: DeliveryFeeds;
  readonly chooseCoding: ChooseCoding;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly countViolation: CountViolation;
  /** Aborts when the process cannot wait any longer. */
  readonly stopping: CancelSignal;
  /** The API's present, in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns the rules of GraphQL requests to use instead of the given ones, on every path. */
  readonly changeRules: (rules: readonly GraphqlRule[]) => readonly GraphqlRule[];
  /** Whether there are plans and the fast path; else graphql-js executes all operations, and Yoga answers all requests. */
  readonly isCompiling: boolean;
}

/** The server of GraphQL requests, and what others share with it. */
export interface Graphql {
  readonly respond: RespondGraphql;
  readonly readOperation: ReadOperation;
  /** Null where there are none. */
  readonly documentLimits: DocumentLimits;
  readonly execution: GraphqlExecution;
  readonly readBody: ReadBody;
  readonly readCredential: ReadCredential;
  /** Creates the execution of operations that may cost so much, by the same rules. */
  readonly executionWithin: (mostCost: number) => GraphqlExecution;
}

/** Creates the server of GraphQL requests over one schema, with its rules and trusted documents. */
export async function createGraphql(config: AppConfig, schema: GraphQLSchema, parts: GraphqlParts): Promise<Graphql> {
  const { upstream, feeds, metrics, log, countViolation, stopping, changeRules, isCompiling } = parts;
  const { persistedOperations: trustedPath, persistedOperationsOnly: only } = config;
  const documentLimits = {
    tokens: config.limitTokens,
    depth: config.limitDepth,
    aliases: config.limitAliases,
    rootFields: config.limitRootFields,
  };
  const estimateCost = createCostEstimate(schema, {
    scanPages: config.upstreamScanPages,
    lookUp: config.upstreamLookUp,
    reportWeight: reportCost(config),
  });
  const { introspection: isIntrospectable, signupUrl } = config;
  const executor = createExecutor(schema, {
    isCompiling,
    count: metrics.countOperation,
    countGiveUp: metrics.countGiveUp,
  });
  const subscriber = createSubscriber(schema);
  const { client, readCredential } = upstream;
  const contextParts = { client, readCredential, feeds, stopping, countViolation, now: parts.now };
  const beginContext = createRequestContexts(config, contextParts);
  const fieldUsage = config.fieldUsage ? new FieldUsage(metrics.countFieldUsage, log) : null;
  const ruleOptions = {
    schema,
    documentLimits,
    estimateCost,
    isIntrospectable,
    signupUrl,
    log,
    countViolation,
    fieldUsage,
  };
  const executionWithin = (mostCost: number): GraphqlExecution => {
    const rules = changeRules(graphqlRules({ ...ruleOptions, mostCost }));
    return createGraphqlExecution({ rules, executor, subscriber, beginContext });
  };
  const execution = executionWithin(config.limitCost);
  const trusted =
    trustedPath === null ? null : await readTrustedDocuments(trustedPath, documentLimits, execution.checkDocument);
  const readBody = createBodyReader(config.workerCount);
  const { readOperation } = new Documents(documentLimits, execution.checkDocument, { operations: trusted, only });
  const respond = createGraphqlServer({
    schema,
    execution,
    readOperation,
    readBody,
    chooseCoding: parts.chooseCoding,
    isFast: isCompiling,
    isExplaining: config.explain === true,
    countRoute: metrics.countRoute,
  });
  return { respond, readOperation, documentLimits, execution, readBody, readCredential, executionWithin };
}

/**
 * Bytes of finished answers that may wait for readers, for each of events: by default 256 MiB. A report has some ten megabytes, and a
 * caller's quarter has room for a few of them; an event has some kilobytes.
 */
const answersPerEventByte = 4;

/** Creates the room of finished answers that wait for their readers. */
export function createReaderRoom(
  config: AppConfig,
  { known, readCredential }: Upstream,
  countClosed: () => void,
): ReaderRoom {
  return new ReaderRoom({
    mostBytes: answersPerEventByte * config.subscriptionBufferBytes,
    identityOf: (headers) => readCredential(headers.authorization, headers['x-sandbox']).identity,
    known,
    countClosed,
  });
}

/** Creates the server of WebSockets, whose operations run as `/graphql` runs those of requests. */
export function createSockets(
  config: AppConfig,
  schema: GraphQLSchema,
  { readOperation, execution, readCredential }: Graphql,
  { known }: Upstream,
  {
    checkOrigin,
    room,
    ...exchangeParts
  }: ExchangeParts & { readonly checkOrigin: CheckOrigin; readonly room: ReaderRoom },
): SocketServer {
  const { log, metrics } = exchangeParts;
  return createSocketServer({
    config,
    schema,
    checkOrigin,
    execution,
    readOperation,
    exchangeParts,
    room,
    isExplaining: config.explain === true,
    identityOf: (headers) => readCredential(headers.authorization, headers['x-sandbox']).identity,
    known,
    log,
    metrics,
  });
}

/** Creates the server of tools, whose calls run as `/graphql` runs operations. */
export function createTools(
  config: AppConfig,
  schema: GraphQLSchema,
  graphql: Graphql,
  { log, origins, ...format }: ProtocolFormat & { readonly log: Log; readonly origins: Origins },
): McpServer {
  const { signupUrl } = config;
  const { documentLimits, executionWithin } = graphql;
  const execution = executionWithin(config.limitCost);
  const parts = {
    schema,
    documentLimits,
    reportFailure(failure: unknown, exchange: Exchange) {
      const logCause = (cause: unknown): void => logInternalError(log, exchange, cause);
      return reportFailure(failure, exchange, { signupUrl, logCause });
    },
  };
  const tools = [...readTools(config.mcpOperations, { ...parts, execution })];
  const freeParts = { ...parts, execution: executionWithin(Math.floor(config.limitCost / freeQueryPart)) };
  if (config.mcpQueries) tools.push(createQueryTool(freeParts, config.introspection));
  return createMcpServer({
    guard: { host: config.host, publicUrl: config.publicUrl, origins },
    readBody: graphql.readBody,
    async loadProtocol() {
      // The SDK takes a tenth of a second to load, and many gateways have no tools.
      const { createProtocol } = await import('../mcp/protocol.ts');
      return createProtocol(tools, format);
    },
  });
}
