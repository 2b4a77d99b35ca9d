import { Kind, type SelectionNode, type SelectionSetNode } from 'graphql';
import { innerSetOf, type Fragments } from '../graphql/document/fragments.ts';
import { usesVariable } from './argument-reader.ts';

/** Whether the cost of anything in a selection, however deep, depends on a variable. */
export type VariableCheck = (selectionSet: SelectionSetNode) => boolean;

/**
 * The check for a document without fragment cycles. It looks at each selection once. Variables count in directives, and in the
 * arguments of the fields with these names.
 */
export function createVariableCheck(fragments: Fragments, variedFields: ReadonlySet<string>): VariableCheck {
  const known = new Map<SelectionSetNode, boolean>();

  function hasVariables(selectionSet: SelectionSetNode): boolean {
    const has = known.get(selectionSet) ?? selectionSet.selections.some(isVariable);
    known.set(selectionSet, has);
    return has;
  }

  function isVariable(selection: SelectionNode): boolean {
    const isCounted = selection.kind === Kind.FIELD && variedFields.has(selection.name.value);
    const own = isCounted ? (selection.arguments ?? []) : [];
    const ofDirectives = (selection.directives ?? []).flatMap((directive) => directive.arguments ?? []);
    if ([...own, ...ofDirectives].some(({ value }) => usesVariable(value))) return true;
    const inner = innerSetOf(selection, fragments);
    return inner !== undefined && hasVariables(inner);
  }

  return hasVariables;
}
