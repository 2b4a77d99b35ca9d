import {
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from '../../document/fragments.ts';
import { conditionNames, isIncluded } from '../../document/inclusion.ts';

/** The fields selected at one place, by response key in the order of the response; those of one key are one field. */
export type Fields = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/** Reads the selections of an operation for given values of the variables that stand in `@skip` and `@include`. */
export interface Selection {
  /** GraphQL, section 6.3.2, "CollectFields()": what is selected of an object of this type. */
  fieldsOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Fields;
}

/** A selection that a plan cannot be made of: it is left to the general executor. */
export class Uncovered extends Error {}

/** A reader for a document's fragments and these values. It throws where they do not decide what is selected. */
export function createSelection(
  schema: GraphQLSchema,
  fragments: Fragments,
  switches: Readonly<Record<string, boolean>>,
): Selection {
  return {
    fieldsOf(type, sets) {
      const place: Place = { schema, fragments, switches, type, fields: new Map(), visited: new Set() };
      for (const set of sets) collect(set, place);
      return place.fields;
    },
  };
}

/** One place of an operation, and the fields that have been found there. */
interface Place {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly switches: Readonly<Record<string, boolean>>;
  readonly type: GraphQLObjectType;
  readonly fields: Map<string, [FieldNode, ...FieldNode[]]>;
  readonly visited: Set<string>;
}

function collect({ selections }: SelectionSetNode, place: Place): void {
  for (const selection of selections) {
    if (!isIncluded(selection, place.switches)) continue;
    if (selection.kind === Kind.FIELD) {
      addField(selection, place);
      continue;
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : firstSpread(selection.name.value, place);
    if (fragment !== null && applies(fragment.typeCondition?.name.value, place)) collect(fragment.selectionSet, place);
  }
}

function addField(field: FieldNode, { fields }: Place): void {
  const key = (field.alias ?? field.name).value;
  const group = fields.get(key);
  if (group === undefined) fields.set(key, [field]);
  else group.push(field);
}

/** The fragment of a name; null where it has been spread at this place before. */
function firstSpread(name: string, { fragments, visited }: Place): FragmentDefinitionNode | null {
  const fragment = fragments.get(name);
  if (fragment === undefined) throw new Uncovered();
  if (visited.has(name)) return null;
  visited.add(name);
  return fragment;
}

function applies(condition: string | undefined, { schema, type }: Place): boolean {
  if (condition === undefined || condition === type.name) return true;
  const other = schema.getType(condition);
  return isAbstractType(other) && schema.isSubType(other, type);
}

/**
 * The variables in the `@skip` and `@include` of these selections and of what lies below them, without fragments that are spread.
 * Throws `Uncovered` where another directive stands at a selection.
 */
export function switchesOf(sets: readonly SelectionSetNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  const open = [...sets];
  for (let set = open.pop(); set !== undefined; set = open.pop()) {
    for (const selection of set.selections) {
      for (const directive of selection.directives ?? []) {
        if (!conditionNames.has(directive.name.value)) throw new Uncovered();
        for (const { value } of directive.arguments ?? [])
          if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      }
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet !== undefined)
        open.push(selection.selectionSet);
    }
  }
  return names;
}
