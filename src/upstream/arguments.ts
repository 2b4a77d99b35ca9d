import type { ArgumentPath } from '../errors.ts';

/** GraphQL arguments as they come from the executor, nested input objects included. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The value at a path of nested arguments; undefined where the path leads nowhere. */
export function valueAt(args: unknown, path: ArgumentPath): unknown {
  let value = args;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Arguments)[name];
  }
  return value;
}
