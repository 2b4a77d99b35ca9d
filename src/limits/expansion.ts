import { Kind, type DocumentNode, type SelectionNode, type SelectionSetNode, type ValueNode } from 'graphql';
import { fragmentsOf, type Fragments } from '../graphql/document/fragments.ts';

/** The fragments of a document, and its size with each fragment written out wherever it is spread. */
export interface Expansion {
  readonly fragments: Fragments;
  /** The selections from which every other is reached: operations, and fragments that are never spread. */
  readonly roots: readonly SelectionSetNode[];
  /** Selections of the largest root. */
  readonly size: number;
  /** Selections of all roots together, with the values in their arguments and directives: the work of validation. */
  readonly work: number;
  /** How deep fragments are spread within fragments. */
  readonly nesting: number;
}

interface Extent {
  readonly size: number;
  readonly work: number;
  readonly nesting: number;
}

/** Measures each fragment once, however often it is spread; null where fragments form a cycle. */
export function createExpansion(document: DocumentNode): Expansion | null {
  const fragments = fragmentsOf(document);
  const extents = new Map<string, Extent | null>();
  const spread = new Set<string>();
  let isCyclic = false;

  function extentOfFragment(name: string): Extent {
    spread.add(name);
    const known = extents.get(name);
    if (known === null) isCyclic = true;
    if (known != null) return known;
    const fragment = fragments.get(name);
    // Validation refuses an unknown fragment.
    if (fragment === undefined || known === null) return { size: 0, work: 0, nesting: 0 };
    extents.set(name, null);
    const inner = extentOf(fragment.selectionSet);
    const extent = { ...inner, nesting: inner.nesting + 1 };
    extents.set(name, extent);
    return extent;
  }

  function extentOf({ selections }: SelectionSetNode): Extent {
    let [size, work, nesting] = [0, 0, 0];
    for (const selection of selections) {
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? extentOfFragment(selection.name.value)
          : selection.selectionSet && extentOf(selection.selectionSet);
      size = Math.min(size + 1 + (inner?.size ?? 0), Number.MAX_SAFE_INTEGER);
      work = Math.min(work + 1 + valuesOf(selection) + (inner?.work ?? 0), Number.MAX_SAFE_INTEGER);
      nesting = Math.max(nesting, inner?.nesting ?? 0);
    }
    return { size, work, nesting };
  }

  const operations = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
  );
  const sets = [...operations, ...[...fragments.values()].map(({ selectionSet }) => selectionSet)];
  const wholes = new Map(sets.map((set) => [set, extentOf(set)]));
  if (isCyclic) return null;
  const unspread = [...fragments].flatMap(([name, { selectionSet }]) => (spread.has(name) ? [] : [selectionSet]));
  const roots = [...operations, ...unspread];
  return {
    fragments,
    roots,
    size: Math.max(0, ...[...wholes.values()].map(({ size }) => size)),
    work: roots.reduce((sum, root) => sum + (wholes.get(root)?.work ?? 0), 0),
    nesting: Math.max(0, ...[...wholes.values()].map(({ nesting }) => nesting)),
  };
}

/** Directives, and the values in the arguments of a selection and of its directives, each item of a list by itself. */
function valuesOf(selection: SelectionNode): number {
  let count = selection.kind === Kind.FIELD ? valuesIn(selection.arguments) : 0;
  for (const directive of selection.directives ?? []) count += 1 + valuesIn(directive.arguments);
  return count;
}

function valuesIn(members: readonly { readonly value: ValueNode }[] = []): number {
  let count = 0;
  const open = members.map(({ value }) => value);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    count += 1;
    if (value.kind === Kind.LIST) open.push(...value.values);
    if (value.kind === Kind.OBJECT) open.push(...value.fields.map((field) => field.value));
  }
  return count;
}
