import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, parseExactly, type JsonObject } from '../../json.ts';
import type { Exchange } from './exchange.ts';
import type { Accepted } from './media-types.ts';

/** The parameters of a request for GraphQL, by whatever transport it came. */
export interface Parameters {
  /** Null where there is none; an empty one is none. */
  readonly query: string | null;
  /** Null where there is none; an empty one is none. */
  readonly operationName: string | null;
  /** Their numbers are digit for digit what was sent (`parseExactly`). */
  readonly variables: JsonObject | null;
  readonly extensions: JsonObject | null;
  /** The identifier of a persisted document, by any of its names; null where there is none. */
  readonly documentId: string | null;
}

const identifierNames = ['documentId', 'id', 'doc_id'] as const;
const names = ['query', 'operationName', 'variables', 'extensions', ...identifierNames] as const;

/** Reads parameters as they were parsed: a sentence where they are none. Other names mean nothing. */
export function readParameters(given: unknown): Parameters | string {
  if (!isJsonObject(given)) return 'The request must be one JSON object.';
  const { query = null, operationName = null, variables = null, extensions = null } = given;
  if (query !== null && typeof query !== 'string') return 'query must be a text.';
  if (operationName !== null && typeof operationName !== 'string') return 'operationName must be a text.';
  if (variables !== null && !isJsonObject(variables)) return 'variables must be an object.';
  if (extensions !== null && !isJsonObject(extensions)) return 'extensions must be an object.';
  return {
    query: query || null,
    operationName: operationName || null,
    variables,
    extensions,
    documentId: identifierIn(given, extensions),
  };
}

function identifierIn(given: JsonObject, extensions: JsonObject | null): string | null {
  for (const name of identifierNames) {
    const id = given[name];
    if (typeof id === 'string') return id;
  }
  const hash = (extensions?.['persistedQuery'] as { readonly sha256Hash?: unknown } | null | undefined)?.sha256Hash;
  return typeof hash === 'string' ? hash : null;
}

/** Whether a request speaks the protocol of Apollo's persisted queries, whose clients compare the messages of refusals. */
export function isPersistedQuery(extensions: JsonObject | null | undefined): boolean {
  return extensions?.['persistedQuery'] != null;
}

/**
 * Returns the parameters of a request for GraphQL by GET (GraphQL over HTTP, section 6.1), as a body would hold them. Of several
 * values the first counts. Undefined where a value should be JSON and is not; an empty one is none.
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
  return typeof text === 'string' && text !== '' ? parseExactly(text) : null;
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
  };
}
