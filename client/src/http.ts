import { textsOf } from './event-stream.ts';

/** Where the gateway is, and whose key it is asked with. */
export interface Access {
  /** For example `https://api.example.com/graphql`. */
  readonly url: string;
  /** The caller's key, sent as `Authorization: Bearer <key>`. */
  readonly key?: string;
  /** Further headers, or in place of `key`; a function is called for each request. */
  readonly headers?: HeadersByName | (() => HeadersByName | Promise<HeadersByName>);
}

export type HeadersByName = Readonly<Record<string, string>>;

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

/** The headers of the next request, which say who asks. */
export async function headersOf({ key, headers = {} }: Omit<Access, 'url'>): Promise<Headers> {
  const sent = new Headers(typeof headers === 'function' ? await headers() : headers);
  if (key !== undefined && !sent.has('authorization')) sent.set('authorization', `Bearer ${key}`);
  return sent;
}

/** Sends an operation, and resolves with the head of the response. */
export function post(
  url: string,
  own: Headers,
  operation: Operation,
  accept: string,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept, ...Object.fromEntries(own) };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(operation), signal });
}

/** Whether a response is of a media type. */
export function isOfType(response: Response, type: string): boolean {
  return response.headers.get('content-type')?.startsWith(type) === true;
}

/** The result of a response that comes whole. One that holds none, as that of a proxy, has an error that tells its status. */
export async function resultOf(response: Response): Promise<Result> {
  const body = (await response.json().catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  })) as Result | null;
  const hasErrors = Array.isArray(body?.errors) && body.errors.some((error) => typeof error?.message === 'string');
  if (body !== null && (hasErrors || body.data !== undefined)) return body;
  return { errors: [{ message: `The gateway answered ${response.status}, without a result.` }] };
}

/** The results of a response: of one that comes in pieces (`@defer`) each piece, else the whole. */
export async function* piecesOf(response: Response): AsyncGenerator<Result> {
  if (!isOfType(response, 'multipart/mixed')) {
    yield await resultOf(response);
    return;
  }
  let text = '';
  for await (const more of textsOf(response)) {
    // The boundary is a hyphen, behind two. In JSON there is no line break.
    const parts = (text + more).split('\r\n---');
    text = parts.pop() ?? '';
    for (const part of parts) if (part.includes('{')) yield JSON.parse(part.slice(part.indexOf('{'))) as Result;
  }
}
