import { Kind, type DocumentNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';

/** A document's fragments, and how much it is with each of them written out wherever it is spread. */
export interface Expansion {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Where to start from to meet every selection: operations, and fragments that none other spreads. */
  readonly roots: readonly SelectionSetNode[];
  /** Selections of the largest root. */
  readonly size: number;
  /** How deep fragments are spread within fragments. */
  readonly nesting: number;
}

interface Extent {
  readonly size: number;
  readonly nesting: number;
}

/** Measures each fragment once, however often it is spread; null where fragments spread each other in a circle. */
export function createExpansion({ definitions }: DocumentNode): Expansion | null {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const extents = new Map<string, Extent | null>();
  const spread = new Set<string>();
  let isCyclic = false;

  function extentOfFragment(name: string): Extent {
    spread.add(name);
    const known = extents.get(name);
    if (known === null) isCyclic = true;
    if (known != null) return known;
    const fragment = fragments.get(name);
    // An unknown fragment is for validation to refuse.
    if (fragment === undefined || known === null) return { size: 0, nesting: 0 };
    extents.set(name, null);
    const inner = extentOf(fragment.selectionSet);
    const extent = { size: inner.size, nesting: inner.nesting + 1 };
    extents.set(name, extent);
    return extent;
  }

  function extentOf({ selections }: SelectionSetNode): Extent {
    let size = 0;
    let nesting = 0;
    for (const selection of selections) {
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? extentOfFragment(selection.name.value)
          : selection.selectionSet && extentOf(selection.selectionSet);
      size = Math.min(size + 1 + (inner?.size ?? 0), Number.MAX_SAFE_INTEGER);
      nesting = Math.max(nesting, inner?.nesting ?? 0);
    }
    return { size, nesting };
  }

  const operations = definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
  );
  const wholes = operations.map(extentOf);
  for (const { selectionSet } of fragments.values()) wholes.push(extentOf(selectionSet));
  if (isCyclic) return null;
  const unspread = [...fragments].flatMap(([name, { selectionSet }]) => (spread.has(name) ? [] : [selectionSet]));
  return {
    fragments,
    roots: [...operations, ...unspread],
    size: Math.max(0, ...wholes.map(({ size }) => size)),
    nesting: Math.max(0, ...wholes.map(({ nesting }) => nesting)),
  };
}
