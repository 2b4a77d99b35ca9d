import { Kind, type SelectionNode } from 'graphql';
import { isIncluded } from '../document/inclusion.ts';
import type { FieldInfo } from './field-info.ts';

/** Whether the field being resolved has a selection below it. */
export type SelectionCheck = (info: FieldInfo) => boolean;

/**
 * Creates the check whether a field has any of these selected below it, by a path of field names such as `pageInfo.endCursor`.
 * Fragments, `@skip` and `@include` are honoured; aliases do not matter.
 */
export function createSelectionCheck(...paths: readonly string[]): SelectionCheck {
  const wanted = paths.map((path) => path.split('.'));
  return (info) => info.fieldNodes.some((node) => selectsAny(node.selectionSet?.selections ?? [], wanted, info));
}

function selectsAny(selections: readonly SelectionNode[], wanted: readonly string[][], info: FieldInfo): boolean {
  return selections.some((selection) => {
    if (!isIncluded(selection, info.variableValues)) return false;
    if (selection.kind === Kind.INLINE_FRAGMENT) return selectsAny(selection.selectionSet.selections, wanted, info);
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = info.fragments[selection.name.value];
      return fragment !== undefined && selectsAny(fragment.selectionSet.selections, wanted, info);
    }
    const paths = wanted.filter(([name]) => name === selection.name.value);
    if (paths.some((path) => path.length === 1)) return true;
    const rests = paths.map(([, ...rest]) => rest);
    return rests.length > 0 && selectsAny(selection.selectionSet?.selections ?? [], rests, info);
  });
}
