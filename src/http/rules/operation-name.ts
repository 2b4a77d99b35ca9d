import { getOperationAST } from 'graphql';
import type { GraphqlRule } from '../graphql-rule.ts';

const longestName = 100;

/** Finds the operation's name, for the log: without the caller's key, and cut. */
export function nameOperation(): GraphqlRule {
  return {
    judge({ document, operationName, request: { exchange } }) {
      const name = getOperationAST(document, operationName)?.name?.value ?? null;
      const shown = name && exchange.hideKey(name, name.length > longestName ? longestName : undefined);
      exchange.record.noteOperation(shown);
      return { name: shown };
    },
  };
}
