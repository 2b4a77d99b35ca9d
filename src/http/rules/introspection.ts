import { GraphQLError, Kind, visit, type FieldNode } from 'graphql';
import type { GraphqlRule } from '../graphql-rule.ts';

// `_service` returns the SDL of the subgraph, which is the whole schema.
const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** Refuses a document that reads the schema anywhere: at its root, by an alias, in a fragment, or where it would be skipped. */
export function refuseIntrospection(): GraphqlRule {
  return {
    checkDocument(document) {
      const found: FieldNode[] = [];
      visit(document, {
        [Kind.FIELD](node) {
          if (schemaFields.has(node.name.value)) found.push(node);
        },
      });
      return found.length === 0 ? [] : [refusalAt(found)];
    },
  };
}

function refusalAt(nodes: readonly FieldNode[]): GraphQLError {
  return new GraphQLError('This gateway does not show its schema: introspection is off.', {
    nodes,
    extensions: { code: 'INTROSPECTION_DISABLED' },
  });
}
