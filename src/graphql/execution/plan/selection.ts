import {
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

/** The fields selected at one place, by response key in the order of the answer; those of one key are one field. */
export type Fields = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/** Reads the selections of an operation for given values of the variables that stand in `@skip` and `@include`. */
export interface Selection {
  /** GraphQL, section 6.3.2, "CollectFields()": what is selected of an object of this type. */
  fieldsOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Fields;
}

/** Whether a selection is there, by its directives. */
type Inclusion = (selection: SelectionNode) => boolean;

/** A selection that a plan cannot be made of: it is left to the general executor. */
export class Uncovered extends Error {}

/** A reader for a document's fragments and these values; it throws `Uncovered` where they do not tell what is selected. */
export function createSelection(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  switches: ReadonlyMap<string, boolean>,
): Selection {
  const isIncluded: Inclusion = ({ directives = [] }) =>
    directives.every(({ name, arguments: [condition] = [] }) => {
      if (condition === undefined) throw new Uncovered();
      const value = valueOf(condition.value);
      return name.value === GraphQLSkipDirective.name ? !value : value;
    });

  function valueOf(node: ValueNode): boolean {
    if (node.kind === Kind.BOOLEAN) return node.value;
    const value = node.kind === Kind.VARIABLE ? switches.get(node.name.value) : undefined;
    if (value === undefined) throw new Uncovered();
    return value;
  }

  function applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const other = schema.getType(condition);
    return isAbstractType(other) && schema.isSubType(other, type);
  }

  function collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    fields: Map<string, [FieldNode, ...FieldNode[]]>,
    visited: Set<string>,
  ): void {
    for (const selection of selections) {
      if (!isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const group = fields.get(key);
        if (group === undefined) fields.set(key, [selection]);
        else group.push(selection);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : spread(selection.name.value, visited);
      if (fragment !== null && applies(fragment.typeCondition?.name.value, type))
        collect(type, fragment.selectionSet, fields, visited);
    }
  }

  /** Null where the fragment has been spread at this place before. */
  function spread(name: string, visited: Set<string>): FragmentDefinitionNode | null {
    const fragment = fragments.get(name);
    if (fragment === undefined) throw new Uncovered();
    if (visited.has(name)) return null;
    visited.add(name);
    return fragment;
  }

  return {
    fieldsOf(type, sets) {
      const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
      const visited = new Set<string>();
      for (const set of sets) collect(type, set, fields, visited);
      return fields;
    },
  };
}

const known: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/**
 * The variables that `@skip` and `@include` hang on, in a document; throws `Uncovered` where another directive stands at a
 * selection.
 */
export function switchesOf(sets: readonly SelectionSetNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  const open = [...sets];
  for (let set = open.pop(); set !== undefined; set = open.pop()) {
    for (const selection of set.selections) {
      for (const directive of selection.directives ?? []) {
        if (!known.has(directive.name.value)) throw new Uncovered();
        for (const { value } of directive.arguments ?? [])
          if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      }
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet !== undefined)
        open.push(selection.selectionSet);
    }
  }
  return names;
}
