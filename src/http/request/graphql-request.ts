import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { Accepted } from './media-types.ts';

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

const names = ['query', 'operationName', 'variables', 'extensions', ...identifierNames] as const;

/**
 * Returns the parameters of a request for GraphQL by GET (GraphQL over HTTP, section 6.1), as a body would hold them. Of several
 * values the first counts, and other names mean nothing. Undefined where a value should be JSON and is not.
 */
export function urlParameters(given: URLSearchParams): unknown {
  const parameters: Partial<Record<(typeof names)[number], unknown>> = {};
  // By name: a URL may hold thousands of others, and to make an object of those would take a millisecond.
  for (const name of names) {
    const value = given.get(name);
    if (value !== null) parameters[name] = value;
  }
  try {
    parameters.variables = jsonOf(parameters.variables);
    parameters.extensions = jsonOf(parameters.extensions);
    return parameters;
  } catch {
    return undefined;
  }
}

function jsonOf(text: unknown): unknown {
  return typeof text === 'string' ? (JSON.parse(text) as unknown) : null;
}

/** The head of a request for GraphQL, as both paths need it. */
export interface GraphqlRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly exchange: Exchange;
  readonly accepted: Accepted;
  /** Whether the client wants the head of the response alone (RFC 9110, section 9.3.2). */
  readonly isHead: boolean;
  /** Whether the client takes a stream: it accepts events, and wants more than the head. */
  readonly takesStream: boolean;
  /** The client's `Last-Event-ID`, from which a stream resumes; null where it sent none. */
  readonly lastEventId: string | null;
  /** Whether the response shows which upstream calls the operation causes (`X-Explain: 1`). */
  readonly wantsExplanation: boolean;
  /** Whether the response shows what the operation costs (`X-Cost: 1`). */
  readonly wantsCost: boolean;
  /** Whether the response shows what of the operation is deprecated (`X-Warnings: 1`). */
  readonly wantsWarnings: boolean;
}

/** Reads the head of a request. Clients may ask for an explanation only where `isExplaining`. */
export function readGraphqlRequest(
  req: IncomingMessage,
  res: ServerResponse,
  exchange: Exchange,
  accepted: Accepted,
  isExplaining: boolean,
): GraphqlRequest {
  const { headers } = req;
  const isHead = req.method === 'HEAD';
  const lastEventId = headers['last-event-id'];
  return {
    req,
    res,
    exchange,
    accepted,
    isHead,
    takesStream: accepted.events !== null && !isHead,
    lastEventId: lastEventId === undefined ? null : String(lastEventId),
    wantsExplanation: isExplaining && headers['x-explain'] === '1',
    wantsCost: headers['x-cost'] === '1',
    wantsWarnings: headers['x-warnings'] === '1',
  };
}
