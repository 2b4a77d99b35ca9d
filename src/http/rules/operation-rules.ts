import { type GraphQLSchema, GraphQLError, Kind, visit, type FieldNode } from 'graphql';
import type { EstimateCost } from '../../limits/cost.ts';
import { refusalOf, tooComplex, type DocumentLimits } from '../../limits/document-limits.ts';
import type { GraphqlRule } from '../run.ts';
import { validateDocument } from '../../limits/validation.ts';
import { operationRefusal, requestError } from '../response/refusal.ts';
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
    checkDocument: (document) => validateDocument(schema, document, !isSuggesting),
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
  prepare(run) {
    const { document, definition } = run.asked;
    const { request } = run;
    const name = definition?.name?.value ?? null;
    const shown = name && request.hideKey(name, shownNameLength);
    const trustedId = trustedIdOf(document);
    request.operationName = shown;
    request.trustedOperation = trustedId && (name ?? trustedId).slice(0, shownNameLength);
    run.name = shown;
  },
};

/** Begins the span of an operation, by its type and name alone. */
export const beginOperationSpan: GraphqlRule = {
  prepare({ asked: { definition }, request, name }) {
    if (definition !== null) request.trace?.beginOperation(definition.operation, name);
  },
};

/** Finds whether responses of the API must be read digit for digit. That takes longer, and only free-form values need it. */
export function readExactNumbers(schema: GraphQLSchema): GraphqlRule {
  const selectsFreeForm = createFreeFormCheck(schema);
  return {
    prepare(run) {
      run.needsExactNumbers = selectsFreeForm(run.asked.document);
    },
  };
}

/** Coerces the variables, and refuses those that do not fit. */
export function coerceOperationVariables(schema: GraphQLSchema, isSuggesting: boolean): GraphqlRule {
  const coerceVariables = createVariableCoercion(schema, !isSuggesting);
  return {
    prepare(run) {
      const { definition, variables } = run.asked;
      if (definition === null) return;
      const { coerced, errors } = coerceVariables(definition, variables ?? {});
      if (errors === undefined) run.coerced = coerced;
      else run.refusal = operationRefusal(...errors);
    },
  };
}

/** Estimates what an operation may cost, and refuses what is too much. */
export function limitCost(estimateCost: EstimateCost, most: number): GraphqlRule {
  return {
    prepare(run) {
      const { document, definition } = run.asked;
      const cost = definition && run.coerced && estimateCost(document, definition, run.coerced);
      if (cost === null) return;
      run.cost = cost;
      const total = cost.calls + cost.objects;
      if (total > most) run.refusal = operationRefusal(tooComplex('cost', 'calls and objects', most, total));
    },
  };
}
