import {
  getNamedType,
  introspectionTypes,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type DocumentNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { fragmentsOf } from '../graphql/document/fragments.ts';
import { CostWalk, isFixed, type DocumentCosts, type PricedField, type SchemaCosts } from './cost-walk.ts';
import { callsOf, nothing, objectsOf } from './demand.ts';
import { costOf, listArguments, type SearchOptions } from './field-cost.ts';
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

/** The estimate for a schema: sizes from its `@listSize`, calls from the costs noted at its fields (field-cost.ts). */
export function createCostEstimate(schema: GraphQLSchema, options: SearchOptions): EstimateCost {
  const ofSchema: SchemaCosts = {
    schema,
    options,
    fields: pricedFieldsOf(schema),
    introspectionCost: createIntrospectionCost(schema),
  };
  const variedFields = namesOfVariedFields(ofSchema.fields);
  const known = new WeakMap<DocumentNode, DocumentCosts>();

  function costsOf(document: DocumentNode): DocumentCosts {
    const costs = createDocumentCosts(document, variedFields);
    known.set(document, costs);
    return costs;
  }

  return (document, operation, variables) => {
    const rootType = schema.getRootType(operation.operation);
    if (rootType == null) return null;
    const ofDocument = known.get(document) ?? costsOf(document);
    const demand = new CostWalk(ofSchema, ofDocument, variables).demandOf(operation.selectionSet, rootType, null);
    return { calls: callsOf(demand), objects: objectsOf(demand), pieces: demand.pieces };
  };
}

function createDocumentCosts(document: DocumentNode, variedFields: ReadonlySet<string>): DocumentCosts {
  const fragments = fragmentsOf(document);
  const hasVariables = createVariableCheck(fragments, variedFields);
  return { fragments, hasVariables, demands: new Map(), readers: new Map() };
}

/** The names of fields, of whatever type, whose arguments decide their cost. */
function namesOfVariedFields(fields: SchemaCosts['fields']): ReadonlySet<string> {
  const varied = [...fields].flatMap(([{ name }, field]) => (isFixed(field) ? [] : [name]));
  const ofIntrospection = introspectionTypes.flatMap((type) =>
    isObjectType(type) ? Object.keys(type.getFields()) : [],
  );
  return new Set([...varied, SchemaMetaFieldDef.name, TypeMetaFieldDef.name, ...ofIntrospection]);
}

function pricedFieldsOf(schema: GraphQLSchema): SchemaCosts['fields'] {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  return new Map(types.flatMap((type) => Object.values(type.getFields()).map((field) => [field, priced(type, field)])));
}

function priced(type: GraphQLNamedType, field: GraphQLField<unknown, unknown>): PricedField {
  const coordinate = `${type.name}.${field.name}`;
  const cost = costOf(field) ?? nothing;
  const returned = getNamedType(field.type);
  return {
    listSize: listSizeOf(field),
    cost,
    listArgument: listArguments[coordinate] ?? null,
    returned: isCompositeType(returned) ? returned : null,
  };
}
