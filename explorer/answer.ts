import type { IntrospectionSchema } from 'graphql';

/** What browsers have, and the types of TypeScript lack. */
const exact = JSON as unknown as {
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => boolean;
};

type Members = Record<string, unknown>;

/** An answer of GraphQL, or a piece of one. */
export interface Answer extends Members {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly incremental?: readonly Piece[];
  readonly hasNext?: boolean;
}

interface Piece {
  readonly path?: readonly (string | number)[];
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !exact.isRawJSON(value);

/** Parses JSON. A number that JavaScript would change stays as it is written, also when it becomes text again. */
export function parseExactly(json: string): unknown {
  return JSON.parse(json, (_name, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    return typeof value !== 'number' || source === undefined || String(value) === source
      ? value
      : exact.rawJSON(source);
  });
}

/** Adds what comes later to what is there: members to objects, at any depth, as overlapping fragments need it. */
function merge(target: Members, source: Members): void {
  for (const [name, value] of Object.entries(source)) {
    const old = target[name];
    if (isMembers(old) && isMembers(value)) merge(old, value);
    else target[name] = value;
  }
}

/** Adds a payload to the answer so far, whose members it changes. */
export function mergePayload(answer: Answer | null, payload: Answer): Answer {
  const { incremental = [], hasNext: _hasNext, ...rest } = payload;
  if (answer === null) return rest;
  const merged: Members = { ...answer };
  const errors = [...(answer.errors ?? []), ...incremental.flatMap((piece) => piece.errors ?? [])];
  if (errors.length > 0) merged['errors'] = errors;
  if (rest.extensions !== undefined) merged['extensions'] = { ...answer.extensions, ...rest.extensions };
  for (const { path = [], data } of incremental) {
    const place = path.reduce<unknown>((at, step) => (isMembers(at) ? at[step] : null), merged['data']);
    if (isMembers(place) && isMembers(data)) merge(place, data);
  }
  return merged;
}

/** Names of federation begin with `_` or with the name of its specification; names of GraphQL itself begin with `__`. */
const isShown = ({ name }: { readonly name: string }): boolean => !/^_(?!_)|^(?:federation|link)__/.test(name);

/** Takes what only routers need out of a schema, so that the documentation begins with what people query. */
export function withoutMachinery(answer: Answer): Answer {
  const { __schema: schema } = (answer.data ?? {}) as { readonly __schema?: IntrospectionSchema };
  if (schema === undefined) return answer;
  const types = schema.types
    .filter(isShown)
    .map((type) => ('fields' in type ? { ...type, fields: type.fields.filter(isShown) } : type));
  // Those that an operation can have: all others are for composition.
  const directives = schema.directives.filter(({ locations }) => locations.includes('INLINE_FRAGMENT' as never));
  return { ...answer, data: { __schema: { ...schema, types, directives } } };
}
