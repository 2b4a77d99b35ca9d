import {
  getArgumentValues,
  getIntrospectionQuery,
  getOperationAST,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, innerSetOf, type Fragments, type Values } from '../graphql/document.ts';

/** Fields of objects that are read to measure a selection of introspection. What tools ask for takes four thousand. */
const introspectionReads = 15_000;

/** The cost of a root field of introspection, in objects, by the length of its part of the response. */
export type IntrospectionCost = (field: FieldNode, fragments: Fragments, variables: Values) => number;

// More than the objects of the whole schema: it takes no call, but it is not free.
const leastPrice = 2_000;
// For all that tools ask for. Two of them are within the default limit.
const wholePrice = 8_000;
// For a selection that would take long to measure: more than any limit on costs.
const endlessPrice = 1_000_000_000;

/** The cost for a schema. The response is measured by reading each object of introspection once for each selection of it. */
export function createIntrospectionCost(schema: GraphQLSchema): IntrospectionCost {
  let whole: number | undefined;
  return (field, fragments, variables) => {
    whole ??= wholeLengthOf(schema);
    const length = lengthOf(schema, field, fragments, variables);
    return length === null ? endlessPrice : Math.max(leastPrice, Math.ceil((wholePrice * length) / whole));
  };
}

function wholeLengthOf(schema: GraphQLSchema): number {
  const document = parse(getIntrospectionQuery());
  const fragments = fragmentsOf(document);
  const selections = getOperationAST(document)?.selectionSet.selections ?? [];
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD);
  return fields.reduce((sum, field) => sum + (lengthOf(schema, field, fragments, {}) ?? 0), 0);
}

/** The length in characters, where a field that is selected twice counts twice; null where that takes too many reads. */
function lengthOf(schema: GraphQLSchema, root: FieldNode, fragments: Fragments, variables: Values): number | null {
  const field = [SchemaMetaFieldDef, TypeMetaFieldDef].find(({ name }) => name === root.name.value);
  const query = schema.getQueryType();
  if (field === undefined || query == null) return 0;
  const measure = new ResponseMeasure(schema, fragments, variables);
  const length = measure.ofValue(undefined, query, field, root);
  return measure.isTooLong ? null : length;
}

class ResponseMeasure {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #variables: Values;
  readonly #known = new Map<unknown, Map<SelectionSetNode, number>>();
  #reads = 0;

  constructor(schema: GraphQLSchema, fragments: Fragments, variables: Values) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  get isTooLong(): boolean {
    return this.#reads > introspectionReads;
  }

  ofValue(source: unknown, type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const info = { schema: this.#schema, parentType: type } as unknown as GraphQLResolveInfo;
    const value: unknown = field.resolve?.(source, argumentsOf(field, node, this.#variables), undefined, info);
    return (node.alias ?? node.name).value.length + punctuation + this.#ofType(value, field.type, node);
  }

  #ofSelection(source: unknown, type: GraphQLObjectType, selectionSet: SelectionSetNode): number {
    const ofSource = this.#known.get(source) ?? new Map<SelectionSetNode, number>();
    this.#known.set(source, ofSource);
    const before = ofSource.get(selectionSet);
    if (before !== undefined) return before;
    let length = 0;
    for (const selection of selectionSet.selections) {
      if (this.isTooLong) break;
      if (selection.kind === Kind.FIELD) {
        length += this.#ofField(source, type, selection);
        continue;
      }
      const inner = innerSetOf(selection, this.#fragments);
      if (inner !== undefined) length += this.#ofSelection(source, type, inner);
    }
    ofSource.set(selectionSet, length);
    return length;
  }

  #ofField(source: unknown, type: GraphQLObjectType, node: FieldNode): number {
    this.#reads++;
    const name = node.name.value;
    // The document is valid.
    const field = name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : type.getFields()[name];
    return this.ofValue(source, type, field as GraphQLField<unknown, unknown>, node);
  }

  #ofType(value: unknown, type: GraphQLOutputType, node: FieldNode): number {
    if (isNonNullType(type)) return this.#ofType(value, type.ofType, node);
    if (value == null) return punctuation;
    if (isListType(type)) {
      let length = punctuation;
      for (const item of value as Iterable<unknown>) length += this.#ofType(item, type.ofType, node);
      return length;
    }
    if (isObjectType(type) && node.selectionSet !== undefined)
      return punctuation + this.#ofSelection(value, type, node.selectionSet);
    return typeof value === 'string' ? value.length + punctuation : punctuation;
  }
}

// Quotes, a colon and a comma, or null: about the same for each value.
const punctuation = 4;

/** None where they do not fit: then execution fails. */
function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Values): Values {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return {};
  }
}
