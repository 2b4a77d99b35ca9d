import { type GraphQLSchema, GraphQLError, Kind, visit, type FieldNode } from 'graphql';
import type { EstimateCost } from '../../limits/cost.ts';
import { refusalOf, tooComplex, type DocumentLimits } from '../../limits/document-limits.ts';
import type { GraphqlRule } from './operation-run.ts';
import { validateDocument } from '../../limits/validation.ts';
import { requestError, notExecuted } from '../response/error-response.ts';
import { trustedIdOf } from '../trusted-documents.ts';
import { createFreeFormCheck } from '../../graphql/schema/scalars.ts';
import { createVariableCoercion } from '../../graphql/execution/variable-values.ts';

/** Characters of the name of an operation in the log, the metrics and the spans. */
const shownNameLength = 100;

// The rules before an operation is executed: for its document, its name, its variables, its cost.

/** Refuses a document beyond the limits. It comes first, since validating such a document would take long. */
export function limitDocuments(schema: GraphQLSchema, limits: DocumentLimits): GraphqlRule {
  return {
    checkDocument(document) {
      const refusal = refusalOf(document, schema, limits);
      return refusal === null ? [] : [requestError(refusal)];
    },
  };
}

/** Refuses a document that is not valid (GraphQL, section 5). Its errors suggest names of the schema where `isSuggesting`. */
export function validateDocuments(schema: GraphQLSchema, isSuggesting: boolean): GraphqlRule {
  return {
    checkDocument: (document, validationRules) => validateDocument(schema, document, validationRules, !isSuggesting),
  };
}

// `_service` returns the SDL of the subgraph, which is the whole schema.
const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** Refuses a document that reads the schema anywhere: at its root, by an alias, in a fragment, or where it would be skipped. */
export const refuseIntrospection: GraphqlRule = {
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

function refusalAt(nodes: readonly FieldNode[]): GraphQLError {
  return new GraphQLError('This gateway does not show its schema: introspection is off.', {
    nodes,
    extensions: { code: 'INTROSPECTION_DISABLED' },
  });
}

/** Finds the operation's name for the log and the metrics. The caller's key is hidden in it, and a long name is cut. */
export const nameOperation: GraphqlRule = {
  prepare({ document, definition, request: { exchange } }, preparation) {
    const name = definition?.name?.value ?? null;
    const shown = name && exchange.hideKey(name, shownNameLength);
    const trustedId = trustedIdOf(document);
    exchange.record.operationName = shown;
    exchange.record.trustedOperation = trustedId && (name ?? trustedId).slice(0, shownNameLength);
    preparation.name = shown;
  },
};

/** Begins the span of an operation, by its type and name alone. */
export const beginOperationSpan: GraphqlRule = {
  prepare({ definition, request }, { name }) {
    if (definition !== null) request.exchange.trace?.beginOperation(definition.operation, name);
  },
};

/** Finds whether responses of the API must be read digit for digit. That takes longer, and only free-form values need it. */
export function readExactNumbers(schema: GraphQLSchema): GraphqlRule {
  const selectsFreeForm = createFreeFormCheck(schema);
  return {
    prepare({ document }, preparation) {
      preparation.needsExactNumbers = selectsFreeForm(document);
    },
  };
}

/** Coerces the variables, and refuses those that do not fit. Where there is no such operation, graphql-js reports that. */
export function coerceOperationVariables(schema: GraphQLSchema, isSuggesting: boolean): GraphqlRule {
  const coerceVariables = createVariableCoercion(schema, !isSuggesting);
  return {
    prepare({ definition, variables }, preparation) {
      if (definition === null) return;
      const { coerced, errors } = coerceVariables(definition, variables ?? {});
      if (errors === undefined) preparation.coerced = coerced;
      else preparation.refusal = notExecuted({ errors });
    },
  };
}

/** Estimates what an operation may cost, and refuses what is too much. */
export function limitCost(estimateCost: EstimateCost, most: number): GraphqlRule {
  return {
    prepare({ document, definition }, preparation) {
      const { coerced } = preparation;
      const cost = definition && coerced && estimateCost(document, definition, coerced);
      if (cost === null) return;
      preparation.cost = cost;
      const total = cost.calls + cost.objects;
      if (total <= most) return;
      preparation.refusal = { errors: [requestError(tooComplex('cost', 'calls and objects', most, total))] };
    },
  };
}
