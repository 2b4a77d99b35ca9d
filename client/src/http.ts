/** Where the gateway is, and whose key it is asked with. */
export interface Access {
  /** For example `https://api.example.com/graphql`. */
  readonly url: string;
  /** The caller's key, sent as `Authorization: Bearer <key>`. */
  readonly key?: string;
  /** Further headers, or in place of `key`; a function is called for each request. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>);
}

type Headers = Readonly<Record<string, string>>;

/** A request of GraphQL. */
export interface Operation {
  readonly query?: string;
  /** Of a persisted operation, in place of its text. */
  readonly documentId?: string;
  readonly variables?: object;
}

/** A response, or one event or piece of it. */
export interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Sends an operation, and resolves with the head of the response. */
export async function post(
  { url, key, headers = {} }: Access,
  operation: Operation,
  accept: string,
  signal: AbortSignal,
): Promise<Response> {
  const own = typeof headers === 'function' ? await headers() : headers;
  const bearer = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...bearer, ...own },
    body: JSON.stringify(operation),
    signal,
  });
}

/** Whether a response is of a media type. */
export function isOfType(response: Response, type: string): boolean {
  return response.headers.get('content-type')?.startsWith(type) === true;
}

/** One server-sent event; a sign of life is one without data. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** Null where the event has none. */
  readonly id: string | null;
}

/** The server-sent events of a response, as they come. */
export async function* serverSentEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  for await (const block of partsOf(response, '\n\n')) {
    const valuesOf = (name: string): readonly string[] =>
      [...block.matchAll(new RegExp(`^${name}(?:: ?(.*))?$`, 'gm'))].map(([, value = '']) => value);
    yield {
      event: valuesOf('event').at(-1) ?? '',
      data: valuesOf('data').join('\n'),
      id: valuesOf('id').at(-1) ?? null,
    };
  }
}

/** The results of a response: of one that comes in pieces (`@defer`, `@stream`) each piece, else the whole. */
export async function* piecesOf(response: Response): AsyncGenerator<Result> {
  if (!isOfType(response, 'multipart/mixed')) {
    yield (await response.json()) as Result;
    return;
  }
  // The boundary is a hyphen, behind two. In JSON there is no line break.
  for await (const part of partsOf(response, '\r\n---'))
    if (part.includes('{')) yield JSON.parse(part.slice(part.indexOf('{'))) as Result;
}

/** The texts between separators, each as soon as the separator behind it has come. */
async function* partsOf({ body }: Response, separator: string): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const parts = (text + decoder.decode(value, { stream: true })).split(separator);
      text = parts.pop() ?? '';
      yield* parts;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
