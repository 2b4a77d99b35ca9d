import {
  isInterfaceType,
  isObjectType,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { fragmentsOf } from '../graphql/document/fragments.ts';
import { CostWalk, type DocumentCosts, type SchemaCosts } from './cost-walk.ts';
import { callsOf, objectsOf } from './demand.ts';
import type { SearchOptions } from './field-cost.ts';
import { createIntrospectionCost } from './introspection-cost.ts';
import { listSizeOf } from './list-size.ts';
import { createVariableCheck } from './variable-use.ts';

/** What an operation may cost at most. */
export interface Cost {
  /** Upstream calls. */
  readonly calls: number;
  /** Objects in the response: rows, and what is nested in them, a list within a row as one; and the weight of reports. */
  readonly objects: number;
  /** Pieces in which the response may come after its first part; Infinity where their number is not known. */
  readonly pieces: number;
}

/** Estimates the cost of an operation of a document by its coerced variables; null where it cannot be executed. */
export type EstimateCost = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
) => Cost | null;

/** The estimate for a schema: sizes from its `@listSize`, calls from the declarations in field-cost.ts. */
export function createCostEstimate(schema: GraphQLSchema, options: SearchOptions): EstimateCost {
  const ofSchema: SchemaCosts = {
    schema,
    options,
    listSizes: listSizesOf(schema),
    introspectionCost: createIntrospectionCost(schema),
  };
  const known = new WeakMap<DocumentNode, DocumentCosts>();
  return (document, operation, variables) => {
    const rootType = schema.getRootType(operation.operation);
    if (rootType == null) return null;
    const ofDocument = known.get(document) ?? createDocumentCosts(document);
    known.set(document, ofDocument);
    const demand = new CostWalk(ofSchema, ofDocument, variables).demandOf(operation.selectionSet, rootType, null);
    return { calls: callsOf(demand), objects: objectsOf(demand), pieces: demand.pieces };
  };
}

function createDocumentCosts(document: DocumentNode): DocumentCosts {
  const fragments = fragmentsOf(document);
  return { fragments, hasVariables: createVariableCheck(fragments), demands: new Map(), readers: new Map() };
}

function listSizesOf(schema: GraphQLSchema): SchemaCosts['listSizes'] {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  return new Map(
    fields.flatMap((field) => {
      const size = listSizeOf(field);
      return size === null ? [] : [[field, size] as const];
    }),
  );
}
