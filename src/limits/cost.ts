import {
  getDirectiveValues,
  getNamedType,
  getNullableType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { argumentReader, usesVariable, type ReadArguments } from './argument-reader.ts';
import { callsOf, nothing, objectsOf, someObjects, somePieces, sum, times, type Demand } from './demand.ts';
import { fieldCosts, listArguments, type SearchOptions } from './field-cost.ts';
import { createIntrospectionCost, type IntrospectionCost } from './introspection-cost.ts';
import { itemsOf, listSizeOf, type ListSize } from './list-size.ts';

/** What an operation may cost at most. */
export interface Cost {
  /** Upstream calls. */
  readonly calls: number;
  /** Objects in the answer: rows, and what is nested in them, a list within a row as one; and the weight of reports. */
  readonly objects: number;
  /** Pieces in which the answer may come after its first part; Infinity where nobody can say how many. */
  readonly pieces: number;
}

/** Tells the cost of a document's operation with its coerced variables; null where it cannot be executed. */
export type EstimateCost = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
) => Cost | null;

/** Fields that hold the items of a connection, and how many. */
interface Sized {
  readonly fields: readonly string[];
  readonly items: number;
}

/** The estimate for a schema: sizes from its `@listSize`, calls from the declarations in field-calls.ts. */
export function createCostEstimate(schema: GraphQLSchema, options: SearchOptions): EstimateCost {
  const sizes: Sizes = { lists: listSizesOf(schema), priceIntrospection: createIntrospectionCost(schema) };
  const allConstants = new WeakMap<DocumentNode, Constants>();
  return (document, operation, variables) => {
    const rootType = schema.getRootType(operation.operation);
    if (rootType == null) return null;
    const constants = allConstants.get(document) ?? createConstants(document);
    allConstants.set(document, constants);
    const walk = createWalk(schema, sizes, variables, constants, options);
    const demand = walk(operation.selectionSet, rootType, null);
    return { calls: callsOf(demand), objects: objectsOf(demand), pieces: demand.pieces };
  };
}

type ListSizes = ReadonlyMap<GraphQLField<unknown, unknown>, ListSize>;

/** What is known of the schema. */
interface Sizes {
  readonly lists: ListSizes;
  readonly priceIntrospection: IntrospectionCost;
}

function listSizesOf(schema: GraphQLSchema): ListSizes {
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  );
  return new Map(
    fields.flatMap((field) => {
      const size = listSizeOf(field);
      return size === null ? [] : [[field, size] as const];
    }),
  );
}

/** What is the same for every execution of a document. */
interface Constants {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Whether anything in a selection hangs on a variable. */
  readonly hasVariables: (selectionSet: SelectionSetNode) => boolean;
  /** Of selections in which nothing does. A place in a document is always of one type. */
  readonly demands: Map<SelectionSetNode, Demand>;
  /** How the arguments of fields are read that tell what these cost. */
  readonly readers: Map<FieldNode, ReadArguments>;
}

function createConstants({ definitions }: DocumentNode): Constants {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const known = new Map<SelectionSetNode, boolean>();

  /** Each selection is looked at once, however deep it lies. */
  function hasVariables(selectionSet: SelectionSetNode): boolean {
    const answer = known.get(selectionSet) ?? selectionSet.selections.some(isVariable);
    known.set(selectionSet, answer);
    return answer;
  }

  function isVariable(selection: SelectionNode): boolean {
    const own = selection.kind === Kind.FIELD ? (selection.arguments ?? []) : [];
    const ofDirectives = (selection.directives ?? []).flatMap((directive) => directive.arguments ?? []);
    if ([...own, ...ofDirectives].some(({ value }) => usesVariable(value))) return true;
    const inner =
      selection.kind === Kind.FRAGMENT_SPREAD
        ? fragments.get(selection.name.value)?.selectionSet
        : selection.selectionSet;
    return inner !== undefined && hasVariables(inner);
  }

  return { fragments, hasVariables, demands: new Map(), readers: new Map() };
}

const noArguments: Readonly<Record<string, unknown>> = {};

type Walk = (selectionSet: SelectionSetNode, type: GraphQLNamedType, sized: Sized | null) => Demand;

/** One pass through one operation; each fragment is measured once for each size that its fields may have. */
function createWalk(
  schema: GraphQLSchema,
  { lists: listSizes, priceIntrospection }: Sizes,
  variables: Readonly<Record<string, unknown>>,
  { fragments, hasVariables, demands, readers }: Constants,
  options: SearchOptions,
): Walk {
  const known = new Map<string, Demand>();

  function isIncluded(node: SelectionNode): boolean {
    if (node.directives === undefined || node.directives.length === 0) return true;
    // One that cannot be read (null, where a default let it through) is an error when it is executed.
    const skip = argumentsOf(() => getDirectiveValues(GraphQLSkipDirective, node, variables) ?? {});
    const include = argumentsOf(() => getDirectiveValues(GraphQLIncludeDirective, node, variables) ?? {});
    return skip?.['if'] !== true && include?.['if'] !== false;
  }

  function ofSelection(node: SelectionNode, type: GraphQLNamedType, sized: Sized | null): Demand {
    if (!isIncluded(node)) return nothing;
    if (node.kind === Kind.FIELD) return ofField(node, type, sized);
    const inner = ofFragment(node, type, sized);
    return hasDirective(node, 'defer') ? sum([inner, somePieces(1)]) : inner;
  }

  function ofFragment(
    node: InlineFragmentNode | FragmentSpreadNode,
    type: GraphQLNamedType,
    sized: Sized | null,
  ): Demand {
    if (node.kind === Kind.INLINE_FRAGMENT) return walk(node.selectionSet, conditionOf(node, type), sized);
    const fragment = fragments.get(node.name.value);
    if (fragment === undefined) return nothing;
    const key = [node.name.value, sized?.items, ...(sized?.fields ?? [])].join(' ');
    const demand = known.get(key) ?? walk(fragment.selectionSet, conditionOf(fragment, type), sized);
    known.set(key, demand);
    return demand;
  }

  function conditionOf({ typeCondition }: InlineFragmentNode | FragmentDefinitionNode, type: GraphQLNamedType) {
    return typeCondition === undefined ? type : (schema.getType(typeCondition.name.value) ?? type);
  }

  function ofField(node: FieldNode, type: GraphQLNamedType, sized: Sized | null): Demand {
    const name = node.name.value;
    // Nobody counts in how many pieces it would come.
    if (name === '__schema' || name === '__type')
      return { ...someObjects(priceIntrospection(node, fragments, variables)), pieces: Infinity };
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    if (field === undefined) return nothing;
    const coordinate = `${type.name}.${name}`;
    const listSize = listSizes.get(field) ?? null;
    const price = fieldCosts[coordinate] ?? nothing;
    // Hardly any field's arguments tell what it costs.
    const isFixed = listSize === null && typeof price !== 'function';
    const args = isFixed ? noArguments : readerOf(field, node)(variables);
    if (args === null) return nothing;
    const items = listSize === null ? 1 : itemsOf(listSize, args);
    const own = typeof price === 'function' ? price(args, options, items) : price;
    const returned = getNamedType(field.type);
    const isStreamed = hasDirective(node, 'stream');
    if (node.selectionSet === undefined || !isCompositeType(returned))
      return isStreamed ? sum([own, somePieces(Infinity)]) : own;
    const sizedFields = listSize?.sizedFields ?? [];
    if (sizedFields.length > 0) {
      const inner = walk(node.selectionSet, returned, { fields: sizedFields, items });
      return sum([own, someObjects(1), inner]);
    }
    const each = sum([someObjects(1), walk(node.selectionSet, returned, null)]);
    const list = args[listArguments[coordinate] ?? ''];
    const isSized = sized?.fields.includes(name) === true;
    const length = Array.isArray(list) ? list.length : isSized ? sized.items : items;
    const whole = times(each, length);
    const pieces = whole.pieces + (isStreamed ? length : 0);
    // Of the lists within a row nobody knows beforehand how long they are.
    const isKnown = pieces === 0 || isSized || listSize !== null || Array.isArray(list) || !isList(field);
    return sum([own, { ...whole, pieces: isKnown ? pieces : Infinity }]);
  }

  function readerOf(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
    const reader = readers.get(node) ?? argumentReader(field, node);
    readers.set(node, reader);
    return reader;
  }

  function walk(selectionSet: SelectionSetNode, type: GraphQLNamedType, sized: Sized | null): Demand {
    const isConstant = sized === null && !hasVariables(selectionSet);
    const constant = isConstant ? demands.get(selectionSet) : undefined;
    if (constant !== undefined) return constant;
    const demand = sum(selectionSet.selections.map((selection) => ofSelection(selection, type, sized)));
    if (isConstant) demands.set(selectionSet, demand);
    return demand;
  }

  return walk;
}

function isList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(type));
}

function hasDirective({ directives = [] }: SelectionNode, name: string): boolean {
  return directives.some((directive) => directive.name.value === name);
}

/** Null where an argument is missing: execution will say so, and not resolve the field. */
function argumentsOf(read: () => Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  try {
    return read();
  } catch {
    return null;
  }
}
