import {
  GraphQLError,
  isLeafType,
  isListType,
  isNonNullType,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';

/** A field at one place of an operation, and the one that it is selected from there. */
export interface Entry {
  readonly node: FieldNode;
  readonly parentType: GraphQLNamedType;
  /** Undefined for a field that its type does not have. */
  readonly type: GraphQLOutputType | undefined;
  readonly above: Entry | null;
}

/** Fields that are one field of the response. */
export type Group = readonly [Entry, ...Entry[]];

/** Two fields that cannot be one field of the response, and the reason. */
export interface Conflict {
  readonly name: string;
  readonly reason: string;
  readonly fields: readonly [Entry, Entry];
}

/** The name of a field in the response. */
export function nameOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** The first conflict that is found in one of the items. */
export function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => Conflict | null): Conflict | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** The first field that differs from the first of all, as a conflict with the reason that `reasonOf` gives. */
export function differing(
  fields: readonly Entry[],
  reasonOf: (one: Entry, other: Entry) => string | null,
): Conflict | null {
  const [first] = fields;
  if (first === undefined) return null;
  return firstOf(fields, (entry) => {
    const reason = entry === first ? null : reasonOf(first, entry);
    return reason === null ? null : { name: nameOf(entry.node), reason, fields: [first, entry] };
  });
}

/** The reason for which two fields of known types cannot be one; null where they can. */
export function typeReason(one: Entry, other: Entry): string | null {
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
export function errorOf({ name, reason, fields: [one, other] }: Conflict): GraphQLError {
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
