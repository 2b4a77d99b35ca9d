import { getOperationAST } from 'graphql';
import type { GraphqlRule } from '../graphql-rule.ts';

const longestName = 100;

/** Finds the operation's name for the log. The caller's key is hidden in it, and a long name is cut. */
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
