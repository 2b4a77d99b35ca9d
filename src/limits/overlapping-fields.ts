import { GraphQLError, type ASTVisitor, type ValidationContext } from 'graphql';
import { errorOf } from './field-conflict.ts';
import { ConflictSearch } from './conflict-search.ts';

/**
 * GraphQL, section 5.3.2, "Field Selection Merging", with the messages of graphql-js, for a document without fragment cycles. The
 * rule of graphql-js compares each field with each other of its name. This one merges the fields of each place, as execution
 * does, and compares each with the first, in time that grows with the document as it is with its fragments written out. It
 * reports the first conflict of each operation.
 */
export function OverlappingFieldsCanBeMergedRule(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  const search = new ConflictSearch(schema, (name) => context.getFragment(name));
  return {
    OperationDefinition({ operation, selectionSet }) {
      const rootType = schema.getRootType(operation);
      if (rootType == null) return;
      const conflict = search.conflictIn(selectionSet, rootType);
      if (conflict !== null) context.reportError(errorOf(conflict));
      if (search.isTooLong) context.reportError(new GraphQLError('Too many fields overlap to be compared.'));
    },
  };
}
