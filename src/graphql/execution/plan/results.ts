import type { FieldNode } from 'graphql';

/**
 * What resolvers of a compiled operation have returned, by their parent (undefined for the root) and the first node of the field. Of
 * nested fields it holds only those that returned a promise: the others cost nothing to resolve again.
 */
export interface Results {
  get(source: unknown): ReadonlyMap<FieldNode, unknown> | undefined;
}

/** Results as they are gathered. */
export class ResultLog implements Results {
  // Made on demand: what is written from bytes has none.
  #bySource: Map<unknown, Map<FieldNode, unknown>> | undefined;

  get(source: unknown): ReadonlyMap<FieldNode, unknown> | undefined {
    return this.#bySource?.get(source);
  }

  note(source: unknown, node: FieldNode, result: unknown): void {
    this.#bySource ??= new Map();
    const known = this.#bySource.get(source);
    if (known === undefined) this.#bySource.set(source, new Map([[node, result]]));
    else known.set(node, result);
  }
}
