import {
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { conditionNames, isIncluded, type Fragments } from '../../document.ts';

/** The fields selected at one place, by response key in the order of the response; those of one key are one field. */
export type Fields = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/** A field, an operation or a fragment. */
export type WithSelection = Pick<FieldNode, 'selectionSet'>;

/** Reads the selections of an operation for given values of the variables that stand in `@skip` and `@include`. */
export interface Selection {
  /** GraphQL, section 6.3.2, "CollectFields()": what these fields, or an operation, select of an object of this type. */
  fieldsOf(type: GraphQLObjectType, nodes: readonly WithSelection[]): Fields;
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
    fieldsOf(type, nodes) {
      const place: Place = { schema, fragments, switches, type, fields: new Map(), spread: new Set() };
      for (const { selectionSet } of nodes) if (selectionSet !== undefined) collect(selectionSet, place);
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
  readonly spread: Set<string>;
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
function firstSpread(name: string, { fragments, spread }: Place): FragmentDefinitionNode | null {
  const fragment = fragments.get(name);
  if (fragment === undefined) throw new Uncovered();
  if (spread.has(name)) return null;
  spread.add(name);
  return fragment;
}

function applies(condition: string | undefined, { schema, type }: Place): boolean {
  if (condition === undefined || condition === type.name) return true;
  const other = schema.getType(condition);
  return isAbstractType(other) && schema.isSubType(other, type);
}

/**
 * The variables in the `@skip` and `@include` of what these operations and fragments select, and of what lies below. Throws `Uncovered`
 * where another directive stands at a selection.
 */
export function switchesOf(nodes: readonly WithSelection[]): readonly string[] {
  const names = new Set<string>();
  const open = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
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
  return [...names];
}
