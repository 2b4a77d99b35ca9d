import {
  getArgumentValues,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  parse,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { largestPageSize } from '../bounds.ts';
import {
  constantArguments,
  fieldsIn,
  fragmentsOf,
  isIncluded,
  type Fragments,
  type Values,
} from '../graphql/document.ts';
import {
  costOf,
  listArguments,
  nothing,
  someObjects,
  somePieces,
  sum,
  times,
  type Estimate,
  type FieldCost,
  type SearchOptions,
} from './field-cost.ts';

/** What an operation may cost at most. */
export interface Cost {
  /** Upstream calls. */
  readonly calls: number;
  /** Objects in the response: rows, and what is nested in them, a list within a row as one; and the weight of reports. */
  readonly objects: number;
  /** Pieces in which the response may come after its first part; Infinity where their number is not known. */
  readonly pieces: number;
}

/** Estimates the cost of an operation of a valid document by its coerced variables. */
export type EstimateCost = (document: DocumentNode, operation: OperationDefinitionNode, variables: Values) => Cost;

/** The estimate for a schema: sizes from its `@listSize`, calls from the costs noted at its fields (field-cost.ts). */
export function createCostEstimate(schema: GraphQLSchema, options: SearchOptions): EstimateCost {
  const ofSchema: SchemaCosts = { schema, options, fields: pricedFieldsOf(schema), args: new WeakMap() };
  return (document, operation, variables) => {
    const rootType = schema.getRootType(operation.operation) as GraphQLObjectType;
    const walk = new CostWalk(ofSchema, fragmentsOf(document), variables);
    const estimate = walk.estimateOf(operation.selectionSet, rootType, null);
    let { calls, objects } = estimate;
    for (const once of estimate.shared.values()) {
      calls += once.calls;
      objects += once.objects;
    }
    return { calls, objects, pieces: estimate.pieces };
  };
}

/** The `@listSize` of a field of the schema (Federation, "@listSize"). */
interface ListSize {
  /** The arguments that set the number of items. */
  readonly slicingArguments: readonly string[];
  /** The fields of the returned object that hold the items; empty where the field itself is the list. */
  readonly sizedFields: readonly string[];
  /** The number of items where no argument sets it. */
  readonly assumedSize: number;
}

/** The `@listSize` of a field; null where it has none. */
export function listSizeOf({ astNode }: GraphQLField<unknown, unknown>): ListSize | null {
  const directive = astNode?.directives?.find(({ name }) => name.value === 'listSize');
  if (directive === undefined) return null;
  const given = (directive.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value)] as const);
  const size: ListSize = { slicingArguments: [], sizedFields: [], assumedSize: 1, ...Object.fromEntries(given) };
  // Routers refuse an assumed size where an argument has a default, which also counts where null is given.
  const sliced = astNode?.arguments?.find(({ name }) => size.slicingArguments.includes(name.value));
  const usual: unknown = sliced?.defaultValue && valueFromASTUntyped(sliced.defaultValue);
  return typeof usual === 'number' ? { ...size, assumedSize: usual } : size;
}

/** The most items that may be returned. A size that the field refuses counts as the nearest one that it accepts. */
function itemsOf({ slicingArguments, assumedSize }: ListSize, args: Values): number {
  const given = slicingArguments.map((name) => args[name]).filter((value) => typeof value === 'number');
  return given.length === 0 ? assumedSize : Math.min(Math.max(0, ...given), largestPageSize);
}

/** What is known of the cost of a field, wherever it stands. */
interface PricedField {
  /** Null where it has none. */
  readonly listSize: ListSize | null;
  readonly cost: FieldCost;
  /** Whether its arguments decide its cost, as they do for few fields. */
  readonly isVaried: boolean;
  /** The argument that is as long as the list that the field returns; null where there is none. */
  readonly listArgument: string | null;
  readonly isList: boolean;
  /** The type of the objects that it returns; null where it is a leaf. */
  readonly returned: GraphQLCompositeType | null;
}

function pricedFieldsOf(schema: GraphQLSchema): SchemaCosts['fields'] {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  return new Map(types.flatMap((type) => Object.values(type.getFields()).map((field) => [field, priced(type, field)])));
}

function priced(type: GraphQLNamedType, field: GraphQLField<unknown, unknown>): PricedField {
  const cost = costOf(field) ?? nothing;
  const listSize = listSizeOf(field);
  const returned = getNamedType(field.type);
  return {
    listSize,
    cost,
    isVaried: listSize !== null || typeof cost === 'function',
    listArgument: listArguments[`${type.name}.${field.name}`] ?? null,
    isList: isListType(getNullableType(field.type)),
    returned: isCompositeType(returned) ? returned : null,
  };
}

/** What is the same for all documents. */
interface SchemaCosts {
  readonly schema: GraphQLSchema;
  readonly options: SearchOptions;
  readonly fields: ReadonlyMap<GraphQLField<unknown, unknown>, PricedField>;
  /** Of the fields of documents whose arguments decide their cost: these, or null where a variable decides them. */
  readonly args: WeakMap<FieldNode, Values | null>;
}

/** Fields of a connection that hold its items, and how many these are. */
interface Sized {
  readonly fields: readonly string[];
  readonly items: number;
}

const noArguments: Values = {};
const oneObject = someObjects(1);

class CostWalk {
  readonly #ofSchema: SchemaCosts;
  readonly #fragments: Fragments;
  readonly #variables: Values;

  constructor(ofSchema: SchemaCosts, fragments: Fragments, variables: Values) {
    this.#ofSchema = ofSchema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  estimateOf(selectionSet: SelectionSetNode, type: GraphQLNamedType, sized: Sized | null): Estimate {
    return sum(selectionSet.selections.map((selection) => this.#selection(selection, type, sized)));
  }

  #selection(node: SelectionNode, type: GraphQLNamedType, sized: Sized | null): Estimate {
    if (!mayBeIncluded(node, this.#variables)) return nothing;
    if (node.kind === Kind.FIELD) return this.#field(node, type, sized);
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
    if (fragment === undefined) return nothing;
    const inner = this.estimateOf(fragment.selectionSet, this.#conditionOf(fragment, type), sized);
    const pieces = piecesOf(node, this.#variables);
    return pieces === 0 ? inner : sum([inner, somePieces(pieces)]);
  }

  #conditionOf({ typeCondition }: InlineFragmentNode | FragmentDefinitionNode, type: GraphQLNamedType) {
    return typeCondition === undefined ? type : (this.#ofSchema.schema.getType(typeCondition.name.value) ?? type);
  }

  #field(node: FieldNode, type: GraphQLNamedType, sized: Sized | null): Estimate {
    const name = node.name.value;
    if (name === '__schema' || name === '__type') return this.#introspection(node);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    const known = field && this.#ofSchema.fields.get(field);
    if (field === undefined || known === undefined) return nothing;
    const args = known.isVaried ? this.#argumentsOf(field, node) : noArguments;
    if (args === null) return nothing;
    const { listSize, cost } = known;
    const items = listSize === null ? 1 : itemsOf(listSize, args);
    const own = typeof cost === 'function' ? cost(args, this.#ofSchema.options, items) : cost;
    const below = this.#below(node, known, items, args, sized);
    return below === null ? own : sum([own, below]);
  }

  /** In how many pieces its response would come is not known. */
  #introspection(node: FieldNode): Estimate {
    return { ...someObjects(introspectionCost(node, this.#fragments)), pieces: Infinity };
  }

  /** Null where they do not fit. */
  #argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Values | null {
    try {
      const constant = this.#ofSchema.args.getOrInsertComputed(node, () => constantArguments(field, node));
      return constant ?? getArgumentValues(field, node, this.#variables);
    } catch {
      return null;
    }
  }

  /** What is selected of the objects that a field returns, as often as it may return one; null for a leaf. */
  #below(node: FieldNode, field: PricedField, items: number, args: Values, sized: Sized | null): Estimate | null {
    const { listSize, listArgument, isList, returned } = field;
    if (node.selectionSet === undefined || returned === null) return null;
    const { sizedFields = [] } = listSize ?? {};
    const sizedBelow = sizedFields.length === 0 ? null : { fields: sizedFields, items };
    const each = sum([oneObject, this.estimateOf(node.selectionSet, returned, sizedBelow)]);
    if (sizedBelow !== null) return each;
    const list = listArgument === null ? null : args[listArgument];
    const isSized = sized?.fields.includes(node.name.value) === true;
    const length = Array.isArray(list) ? list.length : isSized ? sized.items : items;
    const whole = times(each, length);
    // How long the lists within a row are is not known beforehand.
    const isKnown = whole.pieces === 0 || isSized || listSize !== null || Array.isArray(list) || !isList;
    return isKnown ? whole : { ...whole, pieces: Infinity };
  }
}

/** A condition without a value counts as met: the operation fails when it is executed. */
function mayBeIncluded(node: SelectionNode, variables: Values): boolean {
  try {
    return isIncluded(node, variables);
  } catch {
    return true;
  }
}

/** The pieces that a fragment adds. Where the condition of `@defer` is null that is not known: a response in pieces would fail there. */
function piecesOf({ directives }: FragmentSpreadNode | InlineFragmentNode, variables: Values): number {
  const defer = directives?.find(({ name }) => name.value === 'defer');
  const condition = defer?.arguments?.find(({ name }) => name.value === 'if')?.value;
  if (condition?.kind === Kind.VARIABLE && variables[condition.name.value] === null) return Infinity;
  return defer === undefined ? 0 : 1;
}

// More than the objects of the whole schema: it takes no call, but it is not free.
const leastIntrospection = 2_000;
// For all that tools ask for. Two of them are within the default limit.
const wholeIntrospection = 8_000;
// Each alias repeats a part of the schema in the response, as a repeated field does not. Tools use none.
const introspectionAlias = 1_500;

const tools = parse(getIntrospectionQuery());
const fieldsOfTools = fieldsBelow(getOperationAST(tools), fragmentsOf(tools)).length;

/**
 * The cost of a root field of introspection, in objects, by the fields and aliases below it. How deep its lists nest is bounded by
 * graphql-js (MaxIntrospectionDepthRule).
 */
function introspectionCost(root: FieldNode, fragments: Fragments): number {
  const fields = fieldsBelow(root, fragments);
  const share = (fields.length + 1) / fieldsOfTools;
  const aliases = fields.filter(({ alias }) => alias !== undefined).length;
  return Math.max(leastIntrospection, Math.ceil(wholeIntrospection * share)) + introspectionAlias * aliases;
}

/** The fields at any depth below a field, or of an operation, with all fragments written out. Document limits bound them. */
function fieldsBelow(
  node: Pick<FieldNode, 'selectionSet'> | null | undefined,
  fragments: Fragments,
): readonly FieldNode[] {
  if (node?.selectionSet === undefined) return [];
  return fieldsIn(node.selectionSet, fragments).flatMap((field) => [field, ...fieldsBelow(field, fragments)]);
}
