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
  const measure = new Measure(fragments);
  const operations = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
  );
  const sets = [...operations, ...[...fragments.values()].map(({ selectionSet }) => selectionSet)];
  const wholes = new Map(sets.map((set) => [set, measure.extentOf(set)]));
  if (measure.isCyclic) return null;
  const unspread = [...fragments]
    .filter(([name]) => !measure.isSpread(name))
    .map(([, fragment]) => fragment.selectionSet);
  const roots = [...operations, ...unspread];
  return {
    fragments,
    roots,
    size: Math.max(0, ...[...wholes.values()].map(({ size }) => size)),
    work: roots.reduce((sum, root) => sum + (wholes.get(root)?.work ?? 0), 0),
    nesting: Math.max(0, ...[...wholes.values()].map(({ nesting }) => nesting)),
  };
}

class Measure {
  isCyclic = false;
  readonly #fragments: Fragments;
  /** Null while a fragment is being measured. */
  readonly #extents = new Map<string, Extent | null>();
  readonly #spread = new Set<string>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  isSpread(name: string): boolean {
    return this.#spread.has(name);
  }

  extentOf({ selections }: SelectionSetNode): Extent {
    let [size, work, nesting] = [0, 0, 0];
    for (const selection of selections) {
      const inner = this.#inner(selection);
      size = Math.min(size + 1 + (inner?.size ?? 0), Number.MAX_SAFE_INTEGER);
      work = Math.min(work + 1 + valuesOf(selection) + (inner?.work ?? 0), Number.MAX_SAFE_INTEGER);
      nesting = Math.max(nesting, inner?.nesting ?? 0);
    }
    return { size, work, nesting };
  }

  #inner(selection: SelectionNode): Extent | undefined {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#extentOfFragment(selection.name.value);
    return selection.selectionSet && this.extentOf(selection.selectionSet);
  }

  #extentOfFragment(name: string): Extent {
    this.#spread.add(name);
    const known = this.#extents.get(name);
    if (known === null) this.isCyclic = true;
    if (known != null) return known;
    const fragment = this.#fragments.get(name);
    // Validation refuses an unknown fragment.
    if (fragment === undefined || known === null) return { size: 0, work: 0, nesting: 0 };
    this.#extents.set(name, null);
    const inner = this.extentOf(fragment.selectionSet);
    const extent = { ...inner, nesting: inner.nesting + 1 };
    this.#extents.set(name, extent);
    return extent;
  }
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
