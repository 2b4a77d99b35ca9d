import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  typeFromAST,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { comparedFields } from '../bounds.ts';
import { argumentsText } from './arguments-text.ts';
import { differing, firstOf, nameOf, typeReason, type Conflict, type Entry, type Group } from './field-conflict.ts';

type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/** The fields of one place by their response names, and the fragments that have been spread there. */
interface Place {
  readonly groups: Map<string, [Entry, ...Entry[]]>;
  readonly spread: Set<string>;
}

/**
 * Looks for fields of one document that cannot be merged, with a bound on the fields that it compares. Fields of different object
 * types are looked at once for each type, together with those of its interfaces.
 */
export class ConflictSearch {
  readonly #schema: GraphQLSchema;
  readonly #findFragment: FindFragment;
  readonly #textOf = argumentsText();
  #visits = 0;

  constructor(schema: GraphQLSchema, findFragment: FindFragment) {
    this.#schema = schema;
    this.#findFragment = findFragment;
  }

  /** Whether there were more fields than are compared: then nothing is known of the others. */
  get isTooLong(): boolean {
    return this.#visits > comparedFields;
  }

  /** The first conflict in the selection of an operation; null where there is none. */
  conflictIn(selectionSet: SelectionSetNode, rootType: GraphQLNamedType): Conflict | null {
    const place: Place = { groups: new Map(), spread: new Set() };
    this.#collect(selectionSet, rootType, null, place);
    return this.#conflictAt(place, false);
  }

  /** Adds the fields of a selection to a place. What has an unknown type is for other rules. */
  #collect({ selections }: SelectionSetNode, parentType: GraphQLNamedType, above: Entry | null, place: Place): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (++this.#visits > comparedFields) return;
        addEntry({ node: selection, parentType, type: typeOf(selection, parentType), above }, place);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#firstSpread(selection, place);
      if (fragment == null) continue;
      const { typeCondition } = fragment;
      const type = typeCondition === undefined ? parentType : typeFromAST(this.#schema, typeCondition);
      if (type !== undefined) this.#collect(fragment.selectionSet, type, above, place);
    }
  }

  /** The fragment of a spread; null where there is none, or where it has been spread at this place before. */
  #firstSpread({ name }: FragmentSpreadNode, { spread }: Place): FragmentDefinitionNode | null {
    const fragment = this.#findFragment(name.value);
    if (fragment == null || spread.has(name.value)) return null;
    spread.add(name.value);
    return fragment;
  }

  #conflictAt({ groups }: Place, isShapeAlone: boolean): Conflict | null {
    for (const group of groups.values()) {
      const conflict =
        group.length === 1 ? this.#conflictBelow(group, isShapeAlone) : this.#conflictOf(group, isShapeAlone);
      if (conflict !== null) return conflict;
    }
    return null;
  }

  /** A conflict among what is selected from these fields, which are one field of the response. */
  #conflictBelow(fields: readonly Entry[], isShapeAlone: boolean): Conflict | null {
    if (fields.every(({ node }) => node.selectionSet === undefined)) return null;
    const place: Place = { groups: new Map(), spread: new Set() };
    for (const above of fields) {
      const { selectionSet } = above.node;
      const type = above.type && getNamedType(above.type);
      if (selectionSet !== undefined && type !== undefined) this.#collect(selectionSet, type, above, place);
    }
    return this.#conflictAt(place, isShapeAlone);
  }

  #conflictOf(group: Group, isShapeAlone: boolean): Conflict | null {
    const types = new Set(group.map(({ parentType }) => parentType).filter(isObjectType));
    const isOneType = !isShapeAlone && types.size <= 1;
    const own = isOneType ? this.#differingFields(group) : isShapeAlone ? null : this.#conflictByType(group, types);
    return (
      own ??
      differing(group, (one, other) => this.#streamReason(one, other)) ??
      differing(group.filter(hasType), typeReason) ??
      this.#conflictBelow(group, !isOneType)
    );
  }

  /** No object is of two types, so fields of different types may differ in all but their shape. */
  #conflictByType(group: Group, types: ReadonlySet<GraphQLNamedType>): Conflict | null {
    return firstOf(types, (type) => {
      const fields = ofType(group, type);
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

  #streamReason(one: Entry, other: Entry): string | null {
    const [a, b] = [one, other].map(({ node }) => node.directives?.find(({ name }) => name.value === 'stream'));
    if (a === b || (a !== undefined && b !== undefined && this.#textOf(a) === this.#textOf(b))) return null;
    return 'they have differing stream directives';
  }
}

function addEntry(entry: Entry, { groups }: Place): void {
  const name = nameOf(entry.node);
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [entry]);
  else group.push(entry);
}

function typeOf({ name }: FieldNode, parentType: GraphQLNamedType): GraphQLOutputType | undefined {
  const hasFields = isObjectType(parentType) || isInterfaceType(parentType);
  return hasFields ? parentType.getFields()[name.value]?.type : undefined;
}

/** The fields of an object type, and those of any interface or union that its objects may be selected by. */
function ofType(group: Group, type: GraphQLNamedType): readonly Entry[] {
  return group.filter(({ parentType }) => parentType === type || !isObjectType(parentType));
}

function hasType({ type }: Entry): boolean {
  return type !== undefined;
}
