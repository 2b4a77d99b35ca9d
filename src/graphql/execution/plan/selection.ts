import { collectFields } from '@graphql-tools/utils';
import { Kind, type FieldNode, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { conditionNames, type Fragments } from '../../document.ts';

/** The fields selected at one place, by response key in the order of the response; those of one key are one field. */
type Fields = ReadonlyMap<string, Nodes>;

export type Nodes = readonly [FieldNode, ...FieldNode[]];

/** A field, an operation or a fragment. */
export type WithSelection = Pick<FieldNode, 'selectionSet'>;

/**
 * What fields, or an operation, select of an object of a type, for given values of the variables that stand in `@skip` and `@include`
 * (GraphQL, section 6.3.2, "CollectFields()").
 */
export type FieldsOf = (type: GraphQLObjectType, nodes: readonly WithSelection[]) => Fields;

/** A selection that a plan cannot be made of: it is left to the general executor. */
export class Uncovered extends Error {}

/** With a document's fragments and these values. It throws where they do not decide what is selected. */
export function createFieldsOf(
  schema: GraphQLSchema,
  fragments: Fragments,
  switches: Readonly<Record<string, boolean>>,
): FieldsOf {
  const byName = Object.fromEntries(fragments);
  const variables = { coerced: switches, sources: {} };
  return (type, nodes) => {
    const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
    const set = { kind: Kind.SELECTION_SET, selections } as const;
    return collectFields(schema, byName, variables, type, set).fields as Map<string, [FieldNode, ...FieldNode[]]>;
  };
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
