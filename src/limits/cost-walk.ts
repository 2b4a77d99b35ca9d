import {
  isInterfaceType,
  isObjectType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from '../graphql/document/fragments.ts';
import { isIncluded } from '../graphql/document/inclusion.ts';
import { argumentReader, type ReadArguments } from './argument-reader.ts';
import { nothing, someObjects, somePieces, sum, type Demand } from './demand.ts';
import type { FieldCost, SearchOptions } from './field-cost.ts';
import type { IntrospectionCost } from './introspection-cost.ts';
import { itemsOf, type ListSize } from './list-size.ts';
import { hasDirective, ofObjects, type Priced, type Sized } from './returned-objects.ts';
import type { VariableCheck } from './variable-use.ts';

type Values = Readonly<Record<string, unknown>>;
type Field = GraphQLField<unknown, unknown>;

/** What is the same for all documents. */
export interface SchemaCosts {
  readonly schema: GraphQLSchema;
  readonly options: SearchOptions;
  readonly fields: ReadonlyMap<Field, PricedField>;
  readonly introspectionCost: IntrospectionCost;
}

/** What is known of the cost of a field, wherever it stands. */
export interface PricedField {
  /** Null where it has none. */
  readonly listSize: ListSize | null;
  readonly cost: FieldCost;
  /** The argument that is as long as the list that the field returns; null where there is none. */
  readonly listArgument: string | null;
  /** The type of the objects that it returns; null where it is a leaf. */
  readonly returned: GraphQLCompositeType | null;
}

/** Whether the cost of a field is the same whatever its arguments are, as that of most fields is. */
export function isFixed({ listSize, cost }: PricedField): boolean {
  return listSize === null && typeof cost !== 'function';
}

/** What is the same for every execution of a document. */
export interface DocumentCosts {
  readonly fragments: Fragments;
  readonly hasVariables: VariableCheck;
  /** Of selections whose cost depends on no variable. A place in a document is always of one type. */
  readonly demands: Map<SelectionSetNode, Demand>;
  /** How the arguments that decide the cost of a field are read. */
  readonly readers: Map<FieldNode, ReadArguments>;
}

const noArguments: Values = {};
const oneObject = someObjects(1);

/** One pass through one operation. Each fragment is measured once for each size that its fields may have. */
export class CostWalk {
  readonly #ofSchema: SchemaCosts;
  readonly #ofDocument: DocumentCosts;
  readonly #variables: Values;
  // Made on demand: few operations have any that depends on a variable.
  #ofFragments: Map<string, Demand> | undefined;

  constructor(ofSchema: SchemaCosts, ofDocument: DocumentCosts, variables: Values) {
    this.#ofSchema = ofSchema;
    this.#ofDocument = ofDocument;
    this.#variables = variables;
  }

  /** What a selection of an object of this type demands. */
  demandOf(selectionSet: SelectionSetNode, type: GraphQLNamedType, sized: Sized | null): Demand {
    const { demands, hasVariables } = this.#ofDocument;
    const constant = sized === null ? demands.get(selectionSet) : undefined;
    if (constant !== undefined) return constant;
    const isConstant = sized === null && !hasVariables(selectionSet);
    const demand = sum(selectionSet.selections.map((selection) => this.#selection(selection, type, sized)));
    if (isConstant) demands.set(selectionSet, demand);
    return demand;
  }

  #selection(node: SelectionNode, type: GraphQLNamedType, sized: Sized | null): Demand {
    if (!mayBeIncluded(node, this.#variables)) return nothing;
    if (node.kind === Kind.FIELD) return this.#field(node, type, sized);
    const inner = this.#fragment(node, type, sized);
    return hasDirective(node, 'defer') ? sum([inner, somePieces(1)]) : inner;
  }

  #fragment(node: InlineFragmentNode | FragmentSpreadNode, type: GraphQLNamedType, sized: Sized | null): Demand {
    if (node.kind === Kind.INLINE_FRAGMENT)
      return this.demandOf(node.selectionSet, this.#conditionOf(node, type), sized);
    const fragment = this.#ofDocument.fragments.get(node.name.value);
    if (fragment === undefined) return nothing;
    const key = [node.name.value, sized?.items, ...(sized?.fields ?? [])].join(' ');
    const known = this.#ofFragments?.get(key);
    if (known !== undefined) return known;
    const demand = this.demandOf(fragment.selectionSet, this.#conditionOf(fragment, type), sized);
    (this.#ofFragments ??= new Map()).set(key, demand);
    return demand;
  }

  #conditionOf({ typeCondition }: InlineFragmentNode | FragmentDefinitionNode, type: GraphQLNamedType) {
    return typeCondition === undefined ? type : (this.#ofSchema.schema.getType(typeCondition.name.value) ?? type);
  }

  #field(node: FieldNode, type: GraphQLNamedType, sized: Sized | null): Demand {
    const name = node.name.value;
    if (name === '__schema' || name === '__type') return this.#introspection(node);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    const known = field === undefined ? undefined : this.#ofSchema.fields.get(field);
    if (field === undefined || known === undefined) return nothing;
    const { listSize, cost, listArgument, returned } = known;
    const args = isFixed(known) ? noArguments : this.#readerOf(field, node)(this.#variables);
    if (args === null) return nothing;
    const items = listSize === null ? 1 : itemsOf(listSize, args);
    const own = typeof cost === 'function' ? cost(args, this.#ofSchema.options, items) : cost;
    const priced = { node, field, listSize, list: listArgument && args[listArgument], items };
    const below = this.#below(priced, returned, sized);
    return below === null ? own : sum([own, below]);
  }

  /** In how many pieces its response would come is not known. */
  #introspection(node: FieldNode): Demand {
    const cost = this.#ofSchema.introspectionCost(node, this.#ofDocument.fragments, this.#variables);
    return { ...someObjects(cost), pieces: Infinity };
  }

  /** What is selected of the objects that a field returns; null for a leaf. */
  #below(priced: Priced, returned: GraphQLCompositeType | null, sized: Sized | null): Demand | null {
    const { node, listSize, items } = priced;
    if (node.selectionSet === undefined || returned === null)
      return hasDirective(node, 'stream') ? somePieces(Infinity) : null;
    const sizedFields = listSize?.sizedFields ?? [];
    if (sizedFields.length === 0)
      return ofObjects(priced, sum([oneObject, this.demandOf(node.selectionSet, returned, null)]), sized);
    return sum([oneObject, this.demandOf(node.selectionSet, returned, { fields: sizedFields, items })]);
  }

  #readerOf(field: Field, node: FieldNode): ReadArguments {
    const { readers } = this.#ofDocument;
    const reader = readers.get(node) ?? argumentReader(field, node);
    readers.set(node, reader);
    return reader;
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
