import type { GraphQLSchema } from 'graphql';
import type { AppConfig } from '../config.ts';
import { reportFailure } from '../http/response/json-errors.ts';
import { createMcpServer, type McpServer } from '../mcp/mcp-server.ts';
import { createRequestGuard } from '../mcp/request-guard.ts';
import { readTools } from '../mcp/tool-documents.ts';
import { describeFailure, type Log } from '../telemetry/log.ts';
import type { Graphql } from './graphql.ts';

/** Creates the server of tools, whose calls run as `/graphql` runs operations. */
export function createTools(
  config: AppConfig,
  schema: GraphQLSchema,
  graphql: Graphql,
  challenge: string | null,
  log: Log,
): McpServer {
  const { signupUrl } = config;
  const execution = graphql.executionWithin(config.limitCost);
  const tools = readTools(config.mcpOperations, {
    schema,
    documentLimits: graphql.documentLimits,
    execution,
    checkDocument: execution.checkDocument,
    reportFailure(failure, exchange) {
      const logCause = (cause: unknown): void => {
        log.error({ requestId: exchange.requestId, error: describeFailure(cause) }, 'internal error');
      };
      return reportFailure(failure, exchange, { signupUrl, logCause });
    },
  });
  return createMcpServer({
    guard: createRequestGuard(config),
    readBody: graphql.readBody,
    async loadProtocol() {
      // The SDK takes a tenth of a second to load, and many gateways have no tools.
      const { createProtocol } = await import('../mcp/protocol.ts');
      return createProtocol(tools, challenge);
    },
  });
}
