import type { GraphQLSchema } from 'graphql';
import { freeQueryPart } from '../bounds.ts';
import type { AppConfig } from '../config.ts';
import type { Exchange } from '../http/request/exchange.ts';
import { logInternalError, reportFailure } from '../http/response/error-response.ts';
import { createMcpServer, type McpServer } from '../mcp/mcp-server.ts';
import type { ProtocolFormat } from '../mcp/protocol.ts';
import { createQueryTool, createSearchTool } from '../mcp/query-tools.ts';
import { createRequestGuard } from '../mcp/request-guard.ts';
import { readTools } from '../mcp/tool-documents.ts';
import type { Log } from '../telemetry/log.ts';
import { callerIdentityOf } from '../upstream/caller-identity.ts';
import { credentialOf } from '../upstream/credential.ts';
import type { Graphql } from './graphql.ts';

/** Creates the server of tools, whose calls run as `/graphql` runs operations. */
export function createTools(
  config: AppConfig,
  schema: GraphQLSchema,
  graphql: Graphql,
  { log, ...format }: Omit<ProtocolFormat, 'identityOf'> & { readonly log: Log },
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
  // Where clients may not read the schema, they may not search it.
  if (config.mcpQueries && config.introspection) tools.push(createSearchTool(freeParts));
  if (config.mcpQueries) tools.push(createQueryTool(freeParts));
  return createMcpServer({
    guard: createRequestGuard(config),
    readBody: graphql.readBody,
    async loadProtocol() {
      // The SDK takes a tenth of a second to load, and many gateways have no tools.
      const { createProtocol } = await import('../mcp/protocol.ts');
      return createProtocol(tools, { ...format, identityOf });
    },
  });
}

function identityOf(authorization: string | undefined): string | null {
  const { key } = credentialOf(authorization);
  return key === null ? null : callerIdentityOf(key);
}
