/** What browsers have, and the types of TypeScript lack. */
const exact = JSON as unknown as {
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => boolean;
};

type Members = Record<string | number, unknown>;

/** An answer of GraphQL, or a piece of one. */
export interface Answer extends Members {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly incremental?: readonly (Answer & { readonly path?: readonly (string | number)[] })[];
  readonly hasNext?: boolean;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !exact.isRawJSON(value);

/** Parses JSON. A number that JavaScript would change stays as it is written, also when it becomes text again. */
export function parseExactly(json: string): unknown {
  return JSON.parse(json, (_name, value: unknown, { source }: { readonly source?: string } = {}) =>
    typeof value !== 'number' || source === undefined || String(value) === source ? value : exact.rawJSON(source),
  );
}

/** Adds what comes later to what is there: members to objects, at any depth, as overlapping fragments need it. */
function merge(old: unknown, later: unknown): unknown {
  if (!isMembers(old) || !isMembers(later)) return later;
  for (const [name, value] of Object.entries(later)) old[name] = merge(old[name], value);
  return old;
}

/** Adds a piece to the answer so far, which it changes. A payload that is whole takes its place. */
export function mergePayload(answer: Answer | null, { hasNext, incremental = [], ...rest }: Answer): Answer {
  if (answer === null || hasNext === undefined) return rest;
  const errors = [answer, ...incremental].flatMap((piece) => piece.errors ?? []);
  for (const { path = [], data } of incremental)
    merge(
      path.reduce<unknown>((at, step) => (isMembers(at) ? at[step] : null), answer.data),
      data,
    );
  return merge(answer, { ...rest, ...(errors.length > 0 && { errors }) }) as Answer;
}
