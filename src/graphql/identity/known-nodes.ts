import type { NodeIds, NodeReference } from './node-id.ts';

/** What one request knows of nodes: the types of the records that it has found, and what its lists of identifiers refer to. */
export class KnownNodes {
  // A record does not name its type; the look-up that found it does. The record itself stays untouched.
  // Both are made on demand: few requests need them.
  #types: WeakMap<object, string> | undefined;
  #references: WeakMap<readonly string[], (NodeReference | null | undefined)[]> | undefined;

  /** Notes the type of a record, for a field that may return several types; returns the record. */
  noteType<Record extends object>(record: Record | null, type: string): Record | null {
    if (record !== null) (this.#types ??= new WeakMap()).set(record, type);
    return record;
  }

  /** The type of a record that was noted; null for any other. */
  typeOf(record: object): string | null {
    return this.#types?.get(record) ?? null;
  }

  /**
   * Reads the `nodeId` at a place of a list; null for a text that is none. A variable is one list for all fields that it is given to,
   * and each of its places is read once.
   */
  readerOf(nodeIds: readonly string[], reader: NodeIds): (index: number) => NodeReference | null {
    this.#references ??= new WeakMap();
    const references = this.#references.get(nodeIds) ?? [];
    this.#references.set(nodeIds, references);
    return (index) => {
      const reference = references[index];
      return reference === undefined ? (references[index] = reader.read(nodeIds[index] ?? '')) : reference;
    };
  }
}
