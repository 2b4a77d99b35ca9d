import type { GraphQLSchema } from 'graphql';
import type { CancelSignal } from '../cancellation.ts';
import type { AppConfig } from '../config.ts';
import { createExecutor } from '../graphql/execution/executor.ts';
import { createSubscriber } from '../graphql/execution/subscriber.ts';
import { createGraphqlExecution, type GraphqlExecution } from '../http/graphql-execution.ts';
import type { GraphqlRule } from '../http/graphql-rule.ts';
import { graphqlRules } from '../http/graphql-rules.ts';
import { createGraphqlServer, type GraphqlServer } from '../http/graphql-server.ts';
import { readTrustedDocuments } from '../http/trusted-document-reader.ts';
import { createBodyReader, type ReadBody } from '../http/request/body-reader.ts';
import type { ChooseCoding } from '../http/response/compression.ts';
import { TrustedDocuments } from '../http/trusted-documents.ts';
import { createCostEstimate } from '../limits/cost.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { reportCost } from '../limits/report-cost.ts';
import type { DeliveryFeeds } from '../live/delivery-feeds.ts';
import { createRequestContexts } from '../request-context.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { CountViolation } from '../telemetry/violation-counter.ts';
import type { Upstream } from './upstream.ts';

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
  /** Returns the rules of GraphQL requests to use instead of the given ones, on every path. */
  readonly changeRules: (rules: readonly GraphqlRule[]) => readonly GraphqlRule[];
}

/** The server of GraphQL requests, and the trusted documents that it runs. */
export interface Graphql {
  readonly server: GraphqlServer;
  /** Null where there are none. */
  readonly trusted: TrustedDocuments | null;
  readonly documentLimits: DocumentLimits;
  readonly readBody: ReadBody;
  /** Creates the execution of operations that may cost so much, by the same rules. */
  readonly executionWithin: (mostCost: number) => GraphqlExecution;
}

/** Creates the server of GraphQL requests over one schema, with its rules and trusted documents. */
export function createGraphql(config: AppConfig, schema: GraphQLSchema, parts: GraphqlParts): Graphql {
  const { upstream, feeds, metrics, log, countViolation, stopping, changeRules } = parts;
  const { compileOperations: isCompiling, persistedOperations: trustedPath, persistedOperationsOnly: only } = config;
  const lookUps = { scanPages: config.upstreamScanPages, lookUp: config.upstreamLookUp };
  const documentLimits = {
    tokens: config.limitTokens,
    depth: config.limitDepth,
    aliases: config.limitAliases,
    rootFields: config.limitRootFields,
  };
  const estimateCost = createCostEstimate(schema, { ...lookUps, reportWeight: reportCost(config) });
  const { operationTimeoutMs, exposeSecrets, introspection: isIntrospectable, signupUrl } = config;
  const executor = createExecutor(schema, {
    isCompiling,
    count: (path) => metrics.countOperation(path),
    countGiveUp: (reason) => metrics.countGiveUp(reason),
  });
  const subscriber = createSubscriber(schema);
  const createContext = createRequestContexts({
    client: upstream.client,
    readCredential: upstream.credentials.read,
    feeds,
    lookUps,
    operationTimeoutMs,
    exposeSecrets,
    stopping,
    countViolation,
  });
  const isTraced = config.tracing !== null;
  const ruleOptions = {
    schema,
    documentLimits,
    estimateCost,
    isIntrospectable,
    signupUrl,
    isTraced,
    log,
    countViolation,
  };
  const executionWithin = (mostCost: number): GraphqlExecution => {
    const rules = changeRules(graphqlRules({ ...ruleOptions, mostCost }));
    return createGraphqlExecution({ rules, executor, subscriber, createContext });
  };
  const execution = executionWithin(config.limitCost);
  const trusted =
    trustedPath === null
      ? null
      : new TrustedDocuments(() => readTrustedDocuments(trustedPath, documentLimits, execution.checkDocument));
  const readBody = createBodyReader();
  const server = createGraphqlServer({
    schema,
    documentLimits,
    execution,
    persisted: { operations: trusted, only },
    readBody,
    chooseCoding: parts.chooseCoding,
    isFast: isCompiling,
    isExplaining: config.explain === true,
    countRoute: (route) => metrics.countRoute(route),
  });
  return { server, trusted, documentLimits, readBody, executionWithin };
}
