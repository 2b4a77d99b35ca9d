import {
  getNamedType,
  GraphQLError,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  typeFromAST,
  type ArgumentNode,
  type ASTVisitor,
  type ConstArgumentNode,
  type ConstObjectFieldNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type ObjectFieldNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';

/** Fields that are compared to find two that cannot be merged. No document within the other limits comes near. */
export const comparedFields = 200_000;

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

/** A field at one place of an operation, and the one that it is selected from there. */
interface Entry {
  readonly node: FieldNode;
  readonly parentType: GraphQLNamedType;
  /** Undefined for a field that its type does not have. */
  readonly type: GraphQLOutputType | undefined;
  readonly above: Entry | null;
}

/** Two fields that cannot be one field of the response, and the reason. */
interface Conflict {
  readonly name: string;
  readonly reason: string;
  readonly fields: readonly [Entry, Entry];
}

interface Place {
  readonly entries: Entry[];
  readonly spread: Set<string>;
}

/**
 * Looks for fields of one document that cannot be merged, with a bound on the fields that it compares. Fields of different object
 * types are looked at once for each type, together with those of its interfaces.
 */
class ConflictSearch {
  readonly #schema: GraphQLSchema;
  readonly #findFragment: (name: string) => FragmentDefinitionNode | null | undefined;
  readonly #texts = new Map<FieldNode, string>();
  #compared = 0;

  constructor(schema: GraphQLSchema, findFragment: (name: string) => FragmentDefinitionNode | null | undefined) {
    this.#schema = schema;
    this.#findFragment = findFragment;
  }

  /** Whether there were more fields than are compared: then nothing is known of the others. */
  get isTooLong(): boolean {
    return this.#compared > comparedFields;
  }

  /** The first conflict in the selection of an operation; null where there is none. */
  conflictIn(selectionSet: SelectionSetNode, rootType: GraphQLNamedType): Conflict | null {
    const place: Place = { entries: [], spread: new Set() };
    this.#collect(selectionSet, rootType, null, place);
    return this.#conflictAt(place, false);
  }

  /** Adds the fields of a selection to a place. What has an unknown type is for other rules. */
  #collect({ selections }: SelectionSetNode, parentType: GraphQLNamedType, above: Entry | null, place: Place): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (++this.#compared > comparedFields) return;
        place.entries.push({ node: selection, parentType, type: typeOf(selection, parentType), above });
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      const fragment = isInline ? selection : this.#firstSpread(selection.name.value, place);
      if (fragment == null) continue;
      const { typeCondition } = fragment;
      const type = typeCondition === undefined ? parentType : typeFromAST(this.#schema, typeCondition);
      if (type !== undefined) this.#collect(fragment.selectionSet, type, above, place);
    }
  }

  /** The fragment of a name; null where it has been spread at this place before. */
  #firstSpread(name: string, { spread }: Place): FragmentDefinitionNode | null | undefined {
    if (spread.has(name)) return null;
    spread.add(name);
    return this.#findFragment(name);
  }

  #conflictAt({ entries }: Place, isShapeAlone: boolean): Conflict | null {
    return firstOf(Map.groupBy(entries, ({ node }) => nameOf(node)).values(), (group) =>
      group.length === 1 ? this.#conflictBelow(group, isShapeAlone) : this.#conflictOf(group, isShapeAlone),
    );
  }

  /** A conflict among what is selected from these fields, which are one field of the response. */
  #conflictBelow(fields: readonly Entry[], isShapeAlone: boolean): Conflict | null {
    if (fields.every(({ node }) => node.selectionSet === undefined)) return null;
    const place: Place = { entries: [], spread: new Set() };
    for (const above of fields) {
      const { selectionSet } = above.node;
      const type = above.type && getNamedType(above.type);
      if (selectionSet !== undefined && type !== undefined) this.#collect(selectionSet, type, above, place);
    }
    return this.#conflictAt(place, isShapeAlone);
  }

  #conflictOf(group: readonly Entry[], isShapeAlone: boolean): Conflict | null {
    const types = new Set(group.map(({ parentType }) => parentType).filter(isObjectType));
    const isOneType = !isShapeAlone && types.size <= 1;
    const own = isOneType ? this.#differingFields(group) : isShapeAlone ? null : this.#conflictByType(group, types);
    return own ?? differing(group, typeReason) ?? this.#conflictBelow(group, !isOneType);
  }

  /** No object is of two types, so fields of different types may differ in all but their shape. */
  #conflictByType(group: readonly Entry[], types: ReadonlySet<GraphQLNamedType>): Conflict | null {
    return firstOf(types, (type) => {
      // With those of any interface or union that objects of the type may be selected by.
      const fields = group.filter(({ parentType }) => parentType === type || !isObjectType(parentType));
      return this.#differingFields(fields) ?? this.#conflictBelow(fields, false);
    });
  }

  #differingFields(fields: readonly Entry[]): Conflict | null {
    return differing(fields, (one, other) => {
      const [a, b] = [one.node.name.value, other.node.name.value];
      if (a !== b) return `"${a}" and "${b}" are different fields`;
      return this.#textOf(one.node) === this.#textOf(other.node) ? null : 'they have differing arguments';
    });
  }

  /** The arguments of a field. Two texts are equal where the arguments are. */
  #textOf(node: FieldNode): string {
    if (!node.arguments?.length) return '';
    const text = this.#texts.get(node) ?? membersText(node.arguments);
    this.#texts.set(node, text);
    return text;
  }
}

type MemberNode = ArgumentNode | ConstArgumentNode | ObjectFieldNode | ConstObjectFieldNode;

function membersText(members: readonly MemberNode[]): string {
  const texts = members.map(({ name, value }) => `${name.value}: ${valueText(value)}`);
  return texts.sort().join(', ');
}

function valueText(value: ValueNode): string {
  if (value.kind === Kind.OBJECT) return `{${membersText(value.fields)}}`;
  if (value.kind === Kind.LIST) return `[${value.values.map(valueText).join(', ')}]`;
  return print(value);
}

function nameOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

function typeOf({ name }: FieldNode, parentType: GraphQLNamedType): GraphQLOutputType | undefined {
  const hasFields = isObjectType(parentType) || isInterfaceType(parentType);
  return hasFields ? parentType.getFields()[name.value]?.type : undefined;
}

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => Conflict | null): Conflict | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** The first field that differs from the first of all, as a conflict with the reason that `reasonOf` gives. */
function differing(fields: readonly Entry[], reasonOf: (one: Entry, other: Entry) => string | null): Conflict | null {
  return firstOf(fields.slice(1), (other) => {
    const first = fields[0]!;
    const reason = reasonOf(first, other);
    return reason === null ? null : { name: nameOf(other.node), reason, fields: [first, other] };
  });
}

/** The reason for which two fields cannot be one by their types; null where they can, and where a type is unknown. */
function typeReason(one: Entry, other: Entry): string | null {
  if (one.type === undefined || other.type === undefined || isSameShape(one.type, other.type)) return null;
  return `they return conflicting types "${String(one.type)}" and "${String(other.type)}"`;
}

function isSameShape(one: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (isNonNullType(one) && isNonNullType(other)) return isSameShape(one.ofType, other.ofType);
  if (isListType(one) && isListType(other)) return isSameShape(one.ofType, other.ofType);
  if (isNonNullType(one) || isNonNullType(other) || isListType(one) || isListType(other)) return false;
  return isLeafType(one) || isLeafType(other) ? one === other : true;
}

/** The error of a conflict, at the outermost two fields that do not merge because of it. */
function errorOf({ name, reason, fields: [one, other] }: Conflict): GraphQLError {
  if (one.above !== null && other.above !== null && one.above !== other.above) {
    const above = nameOf(one.above.node);
    const inner = `subfields "${name}" conflict because ${reason}`;
    return errorOf({ name: above, reason: inner, fields: [one.above, other.above] });
  }
  return new GraphQLError(
    `Fields "${name}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`,
    { nodes: [one.node, other.node] },
  );
}
