import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import { innerSetOf, type Fragments } from '../graphql/document/fragments.ts';
import type { Expansion } from './expansion.ts';

/** The depth and width of a document: those of the operation that has most. */
export interface Shape {
  /** 1 for a field of the operation's own selection. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** The highest number of selections of one field at one place. */
  readonly repetitions: number;
}

type FieldsByName = Map<string, FieldNode[]>;

/**
 * Merges fields of one name at one place, as execution does, and counts them. Repeated fields with selections count as
 * aliases.
 */
export function shapeOf({ definitions }: DocumentNode, { fragments, roots }: Expansion): Shape {
  const operations = new Set(
    definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
    ),
  );
  const shapes = roots.map((root) => {
    const shape = measure([root], fragments);
    return operations.has(root) ? shape : { ...shape, rootFields: 0 };
  });
  const most = (count: (shape: Shape) => number): number => Math.max(0, ...shapes.map(count));
  return {
    depth: most(({ depth }) => depth),
    aliases: most(({ aliases }) => aliases),
    rootFields: most(({ rootFields }) => rootFields),
    repetitions: most(({ repetitions }) => repetitions),
  };
}

function measure(sets: readonly SelectionSetNode[], fragments: Fragments): Shape {
  let [depth, aliases, rootFields, repetitions] = [0, 0, 0, 0];
  const byName: FieldsByName = new Map();
  for (const set of sets) addFields(set, fragments, byName);
  for (const group of byName.values()) {
    const inner = group.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
    const below = inner.length === 0 ? null : measure(inner, fragments);
    depth = Math.max(depth, 1 + (below?.depth ?? 0));
    aliases += group.filter(({ alias }) => alias !== undefined).length;
    aliases += Math.max(0, inner.length - 1) + (below?.aliases ?? 0);
    rootFields += group.length;
    repetitions = Math.max(repetitions, group.length, below?.repetitions ?? 0);
  }
  return { depth, aliases, rootFields, repetitions };
}

function addFields({ selections }: SelectionSetNode, fragments: Fragments, byName: FieldsByName): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const name = (selection.alias ?? selection.name).value;
      const group = byName.get(name);
      if (group === undefined) byName.set(name, [selection]);
      else group.push(selection);
      continue;
    }
    const inner = innerSetOf(selection, fragments);
    if (inner !== undefined) addFields(inner, fragments, byName);
  }
}
