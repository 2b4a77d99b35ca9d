import {
  getNamedType,
  GraphQLError,
  isInterfaceType,
  isObjectType,
  Kind,
  typeFromAST,
  type ASTVisitor,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { comparedFields } from '../bounds.ts';
import { argumentsText } from './arguments-text.ts';
import {
  differing,
  errorOf,
  firstOf,
  nameOf,
  typeReason,
  type Conflict,
  type Entry,
  type Group,
} from './field-conflict.ts';

/**
 * GraphQL, section 5.3.2, "Field Selection Merging", with the words of graphql-js, for a document without fragment cycles. The
 * rule of graphql-js compares each field with each other of its name; this one merges the fields of each place, as execution
 * does, and compares each with the first, in time that grows with the document as it is with its fragments written out. It
 * reports the first conflict of each operation.
 */
export function OverlappingFieldsCanBeMergedRule(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  const textOf = argumentsText();
  let visits = 0;

  /** The fields of a selection by their response names. What has an unknown type is for other rules. */
  function collect(
    { selections }: SelectionSetNode,
    parentType: GraphQLNamedType,
    above: Entry | null,
    place: Map<string, [Entry, ...Entry[]]>,
    spread: Set<string>,
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (++visits > comparedFields) return;
        const entry = { node: selection, parentType, type: typeOf(selection, parentType), above };
        const name = nameOf(selection);
        const group = place.get(name);
        if (group === undefined) place.set(name, [entry]);
        else group.push(entry);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const fragment = isSpread ? context.getFragment(selection.name.value) : selection;
      if (fragment == null || (isSpread && spread.has(selection.name.value))) continue;
      if (isSpread) spread.add(selection.name.value);
      const { typeCondition } = fragment;
      const type = typeCondition === undefined ? parentType : typeFromAST(schema, typeCondition);
      if (type !== undefined) collect(fragment.selectionSet, type, above, place, spread);
    }
  }

  function typeOf({ name }: FieldNode, parentType: GraphQLNamedType): GraphQLOutputType | undefined {
    const hasFields = isObjectType(parentType) || isInterfaceType(parentType);
    return hasFields ? parentType.getFields()[name.value]?.type : undefined;
  }

  /** A conflict among what is selected from these fields, which are one field of the answer. */
  function conflictBelow(fields: readonly Entry[], isShapeAlone: boolean): Conflict | null {
    if (fields.every(({ node }) => node.selectionSet === undefined)) return null;
    const place = new Map<string, [Entry, ...Entry[]]>();
    const spread = new Set<string>();
    for (const above of fields) {
      const { selectionSet } = above.node;
      const type = above.type && getNamedType(above.type);
      if (selectionSet !== undefined && type !== undefined) collect(selectionSet, type, above, place, spread);
    }
    return conflictIn(place, isShapeAlone);
  }

  function conflictIn(place: ReadonlyMap<string, Group>, isShapeAlone: boolean): Conflict | null {
    for (const group of place.values()) {
      const conflict = group.length === 1 ? conflictBelow(group, isShapeAlone) : conflictOf(group, isShapeAlone);
      if (conflict !== null) return conflict;
    }
    return null;
  }

  function conflictOf(group: Group, isShapeAlone: boolean): Conflict | null {
    const types = new Set(group.map(({ parentType }) => parentType).filter(isObjectType));
    const isOneType = !isShapeAlone && types.size <= 1;
    // No object is of two types, so fields of different types may differ in all but their shape.
    const ofTypes = isShapeAlone || isOneType ? null : firstOf(types, (type) => conflictWithin(of(group, type)));
    const own = isOneType ? differing(group, fieldReason) : ofTypes;
    return (
      own ??
      differing(group, streamReason) ??
      differing(group.filter(hasType), typeReason) ??
      conflictBelow(group, !isOneType)
    );
  }

  /** Of fields that may be selected from one object. */
  function conflictWithin(fields: readonly Entry[]): Conflict | null {
    return differing(fields, fieldReason) ?? conflictBelow(fields, false);
  }

  function fieldReason(one: Entry, other: Entry): string | null {
    const [a, b] = [one.node.name.value, other.node.name.value];
    if (a !== b) return `"${a}" and "${b}" are different fields`;
    return textOf(one.node) === textOf(other.node) ? null : 'they have differing arguments';
  }

  function streamReason(one: Entry, other: Entry): string | null {
    const [a, b] = [one, other].map(({ node }) => node.directives?.find(({ name }) => name.value === 'stream'));
    if (a === b || (a !== undefined && b !== undefined && textOf(a) === textOf(b))) return null;
    return 'they have differing stream directives';
  }

  return {
    OperationDefinition({ operation, selectionSet }) {
      const rootType = schema.getRootType(operation);
      if (rootType == null) return;
      const place = new Map<string, [Entry, ...Entry[]]>();
      collect(selectionSet, rootType, null, place, new Set());
      const conflict = conflictIn(place, false);
      if (conflict !== null) context.reportError(errorOf(conflict));
      if (visits > comparedFields) context.reportError(new GraphQLError('Too many fields overlap to be compared.'));
    },
  };
}

/** Those of an object type, and those of any type that its objects may be of besides. */
function of(group: Group, type: GraphQLNamedType): readonly Entry[] {
  return group.filter(({ parentType }) => parentType === type || !isObjectType(parentType));
}

function hasType({ type }: Entry): boolean {
  return type !== undefined;
}
