import type { FieldNode } from 'graphql';

/**
 * What resolvers of a compiled operation have returned, by the object that they were asked of (undefined for the root) and the
 * first of the field's nodes. Of nested fields only those that had to be waited for are here: the others cost nothing.
 */
export interface Results {
  get(source: unknown): ReadonlyMap<FieldNode, unknown> | undefined;
}

/** Results as they are gathered. */
export class ResultLog implements Results {
  readonly #bySource = new Map<unknown, Map<FieldNode, unknown>>();

  get(source: unknown): ReadonlyMap<FieldNode, unknown> | undefined {
    return this.#bySource.get(source);
  }

  note(source: unknown, node: FieldNode, result: unknown): void {
    const known = this.#bySource.get(source);
    if (known === undefined) this.#bySource.set(source, new Map([[node, result]]));
    else known.set(node, result);
  }
}
