import type { ExecutionResult, GraphQLError } from 'graphql';

/** A result, or a piece of a result, whose data belongs at a path. */
export interface PlacedResult extends ExecutionResult {
  readonly path?: readonly (string | number)[];
}

interface Ranked {
  readonly error: GraphQLError;
  readonly ranks: readonly number[];
}

/**
 * Sorts the errors of a result by their places in its data. They come in an order that depends on how long each call took.
 * Errors below a place whose data is null keep the order in which they came.
 */
export function inResponseOrder({ errors = [], data, path = [] }: PlacedResult): readonly GraphQLError[] {
  if (errors.length < 2) return errors;
  const ranksIn = new WeakMap<object, ReadonlyMap<string, number>>();

  function rankOf(container: unknown, key: string | number): number {
    if (typeof key === 'number') return key;
    if (typeof container !== 'object' || container === null) return 0;
    const ranks = ranksIn.get(container) ?? new Map(Object.keys(container).map((name, index) => [name, index]));
    ranksIn.set(container, ranks);
    return ranks.get(key) ?? 0;
  }

  function ranksOf({ path: place = [] }: GraphQLError): readonly number[] {
    let container: unknown = data;
    return place.slice(path.length).map((key) => {
      const rank = rankOf(container, key);
      container = (container as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
      return rank;
    });
  }

  const ranked = errors.map((error): Ranked => ({ error, ranks: ranksOf(error) }));
  return ranked.sort(compare).map(({ error }) => error);
}

function compare({ ranks: left }: Ranked, { ranks: right }: Ranked): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
