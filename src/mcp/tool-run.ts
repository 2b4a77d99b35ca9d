import { getOperationAST, type DocumentNode, type ExecutionResult } from 'graphql';
import type { GraphqlExecution } from '../http/graphql-execution.ts';
import type { GraphqlRequest } from '../http/request/graphql-request.ts';
import type { ToolArguments } from './tool.ts';

/** Runs an operation as `/graphql` does: by the same rules, and with nothing of it shared with another call. */
export async function runOperation(
  execution: GraphqlExecution,
  document: DocumentNode,
  variables: ToolArguments,
  request: GraphqlRequest,
): Promise<ExecutionResult> {
  const definition = getOperationAST(document) ?? null;
  const operation = { document, definition, operationName: null, variables, request };
  const run = execution.begin(operation);
  return execution.finish(await execution.execute(operation, run), run);
}
