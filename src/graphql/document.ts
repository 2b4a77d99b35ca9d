import {
  getArgumentValues,
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { FieldInfo } from './context.ts';

/** Values by name: the coerced variables of an operation, or the arguments of a field. */
export type Values = Readonly<Record<string, unknown>>;

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments of a document; of two with one name, the last. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** A valid document with its fragments written out wherever they are spread. */
export function withoutSpreads(document: DocumentNode): DocumentNode {
  const fragments = fragmentsOf(document);
  return visit(document, {
    FragmentSpread({ name, directives }): InlineFragmentNode | undefined {
      const fragment = fragments.get(name.value);
      if (fragment === undefined) return undefined;
      const { typeCondition, selectionSet } = fragment;
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives: directives ?? [], selectionSet };
    },
  });
}

/** What is selected below a selection; of a spread, what its fragment selects. Undefined for a leaf and an unknown fragment. */
export function innerSetOf(selection: SelectionNode, fragments: Fragments): SelectionSetNode | undefined {
  if (selection.kind !== Kind.FRAGMENT_SPREAD) return selection.selectionSet;
  return fragments.get(selection.name.value)?.selectionSet;
}

/** The fields of a selection, those of its fragments included. */
export function fieldsIn({ selections }: SelectionSetNode, fragments: Fragments): readonly FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection;
    const inner = innerSetOf(selection, fragments);
    return inner === undefined ? [] : fieldsIn(inner, fragments);
  });
}

/** The names of the directives that leave selections out. */
export const conditionNames: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/**
 * Whether `@skip` and `@include` leave a selection in, by coerced variables (GraphQL, section 6.3.2). Throws a GraphQLError where
 * a condition has no value, as a nullable variable with a default may have none.
 */
export function isIncluded(selection: SelectionNode, variables: Values): boolean {
  if (selection.directives === undefined || selection.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables);
  if (skip?.['if'] === true) return false;
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables);
  return include?.['if'] !== false;
}

const namesByDocument = new WeakMap<DocumentNode, ReadonlySet<string>>();

/** The names of the fields in a document, and those of its directives behind an `@`. Each document is looked through once. */
export function namesIn(document: DocumentNode): ReadonlySet<string> {
  return namesByDocument.getOrInsertComputed(document, () => {
    const names = new Set<string>();
    visit(document, {
      Field: ({ name }) => void names.add(name.value),
      Directive: ({ name }) => void names.add(`@${name.value}`),
    });
    return names;
  });
}

/**
 * Creates the check whether the field being resolved has a field of one of these names anywhere below it. Fragments, `@skip` and
 * `@include` are honoured; aliases do not matter.
 */
export function createSelectionCheck(...names: readonly string[]): (info: FieldInfo) => boolean {
  return ({ fieldNodes, fragments, variableValues }) => {
    const selectsAny = (set: SelectionSetNode | undefined): boolean =>
      set?.selections.some((selection) => {
        if (!isIncluded(selection, variableValues)) return false;
        if (selection.kind === Kind.FRAGMENT_SPREAD) return selectsAny(fragments[selection.name.value]?.selectionSet);
        return (
          (selection.kind === Kind.FIELD && names.includes(selection.name.value)) || selectsAny(selection.selectionSet)
        );
      }) ?? false;
    return fieldNodes.some(({ selectionSet }) => selectsAny(selectionSet));
  };
}

/**
 * The arguments of a field, frozen, because all callers share them; null where a variable decides them. Throws a GraphQLError where they do
 * not fit.
 */
export function constantArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): Values | null {
  const given = node.arguments ?? [];
  return given.some(({ value }) => usesVariable(value)) ? null : frozen(getArgumentValues(field, node));
}

/** Whether a value of a document is a variable, or holds one. */
function usesVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(usesVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => usesVariable(field.value));
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
