/** The parameters that may hold the identifier of a trusted document. */
export const identifierNames = ['documentId', 'id', 'doc_id'] as const;

/** Returns the identifier of a trusted document among parameters, Apollo's hash included; null where there is none. */
export function identifierIn(parameters: Readonly<Record<string, unknown>>): string | null {
  for (const name of identifierNames) {
    const id = parameters[name];
    if (typeof id === 'string') return id;
  }
  return hashIn(parameters);
}

/** Returns Apollo's hash of a document; null where there is none. */
export function hashIn({ extensions }: { readonly extensions?: unknown }): string | null {
  const { persistedQuery } = (extensions ?? {}) as {
    readonly persistedQuery?: { readonly sha256Hash?: unknown } | null;
  };
  const hash = persistedQuery?.sha256Hash;
  return typeof hash === 'string' ? hash : null;
}
