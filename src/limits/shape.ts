import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import { innerSetOf } from '../graphql/document/fragments.ts';
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

/**
 * Merges fields of one name at one place, as execution does, and counts them. Repeated fields with selections count as
 * aliases.
 */
export function shapeOf(document: DocumentNode, { fragments, roots }: Expansion): Shape {
  function fieldsOf(sets: readonly SelectionSetNode[], byName = new Map<string, FieldNode[]>()) {
    for (const { selections } of sets) {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          const name = (selection.alias ?? selection.name).value;
          const group = byName.get(name);
          if (group === undefined) byName.set(name, [selection]);
          else group.push(selection);
          continue;
        }
        const inner = innerSetOf(selection, fragments);
        if (inner !== undefined) fieldsOf([inner], byName);
      }
    }
    return byName;
  }

  function measure(sets: readonly SelectionSetNode[]): Shape {
    let [depth, aliases, rootFields, repetitions] = [0, 0, 0, 0];
    for (const group of fieldsOf(sets).values()) {
      const inner = group.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
      const below = inner.length === 0 ? null : measure(inner);
      depth = Math.max(depth, 1 + (below?.depth ?? 0));
      aliases += group.filter(({ alias }) => alias !== undefined).length;
      aliases += Math.max(0, inner.length - 1) + (below?.aliases ?? 0);
      rootFields += group.length;
      repetitions = Math.max(repetitions, group.length, below?.repetitions ?? 0);
    }
    return { depth, aliases, rootFields, repetitions };
  }

  const operations = new Set(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
    ),
  );
  const shapes = roots.map((root) => {
    const shape = measure([root]);
    return operations.has(root) ? shape : { ...shape, rootFields: 0 };
  });
  return {
    depth: Math.max(0, ...shapes.map(({ depth }) => depth)),
    aliases: Math.max(0, ...shapes.map(({ aliases }) => aliases)),
    rootFields: Math.max(0, ...shapes.map(({ rootFields }) => rootFields)),
    repetitions: Math.max(0, ...shapes.map(({ repetitions }) => repetitions)),
  };
}
