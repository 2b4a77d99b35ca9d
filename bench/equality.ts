import { isDeepStrictEqual } from 'node:util';

const cursors = new Set(['cursor', 'startCursor', 'endCursor']);

/** The data of a GraphQL response, with blank cursors, since each contender has its own; throws where it has errors. */
export function dataOf(body: Buffer): unknown {
  const { data, errors } = JSON.parse(body.toString(), (name, value: unknown) =>
    cursors.has(name) && typeof value === 'string' ? '<cursor>' : value,
  ) as { data?: unknown; errors?: unknown };
  if (errors === undefined && data != null) return data;
  throw new Error(`errors instead of data: ${JSON.stringify(errors).slice(0, 1_000)}`);
}

const shorten = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);

/** The first difference of two responses, whatever the order of an object's fields; null where they are equal. */
export function differenceOf(ours: unknown, theirs: unknown, path = 'data'): string | null {
  if (isDeepStrictEqual(ours, theirs)) return null;
  const areObjects = [ours, theirs].every((value) => typeof value === 'object' && value !== null);
  if (!areObjects || Array.isArray(ours) !== Array.isArray(theirs)) {
    return `${path} is ${shorten(theirs)}, not ${shorten(ours)}`;
  }
  const [left, right] = [ours, theirs] as readonly [Record<string, unknown>, Record<string, unknown>];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const difference = differenceOf(left[name], right[name], `${path}.${name}`);
    if (difference !== null) return difference;
  }
  return `${path} differs in its prototype`;
}
