import { getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../server-context.ts';

const longestName = 100;

/** Notes the name of the operation that runs, as its document has it, for the log line of the request. */
export function useOperationName(): Plugin<object, ServerContext> {
  return {
    onExecute({ args: { document, operationName, contextValue } }) {
      const name = getOperationAST(document, operationName)?.name?.value ?? null;
      const { exchange } = contextValue as object as ServerContext;
      exchange.operationName = name === null ? null : exchange.hideKey(name).slice(0, longestName);
    },
  };
}
