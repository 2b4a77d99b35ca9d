import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getOperationAST, OperationTypeNode, type DocumentNode, type ExecutionResult } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { requestBody } from '../bounds.ts';
import type { Context } from '../graphql/context.ts';
import type { KnownDocuments } from './document-cache.ts';
import type { Exchange } from './request/exchange.ts';
import { usesDirectives } from './response/incremental.ts';
import type { Accepted, WholeType } from './request/media-types.ts';
import { isCostAsked, type OperationRequest, type GraphqlExecution } from './graphql-execution.ts';
import { isJson } from './request/request-body.ts';
import type { ServerContext } from './request/server-context.ts';

/** What the route shares with Yoga's. */
export interface FastPathOptions {
  readonly execution: GraphqlExecution;
  readonly known: KnownDocuments;
  readonly createContext: (authorization: string | undefined, exchange: Exchange) => Context;
}

/** The short way in, for the requests that most are: known queries as JSON. */
export interface FastPath {
  /**
   * In which media type a request is to be answered; null where its head does not let it in. Else its body is read, and must
   * be handed on where it turns out to be another.
   */
  accepts(req: IncomingMessage, accepted: Accepted): string | null;
  /** Answers the request in that media type; null, with nothing done, where its body is none that is known here. */
  answer(body: Buffer, mediaType: string, context: ServerContext): Promise<void> | null;
}

type Parameters = Pick<OperationRequest, 'document' | 'operationName' | 'variables'>;

const written: ReadonlySet<string> = new Set<WholeType>(['application/json', 'application/graphql-response+json']);
const members: ReadonlySet<string> = new Set(['query', 'operationName', 'variables']);

/**
 * A query whose document is known is executed without Yoga, whose way through a request costs several times what is
 * left of it then. Whatever is in any way unusual goes through Yoga, which decides about it; both share every rule.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { execution, known, createContext } = options;

  function parametersOf(body: Buffer): Parameters | null {
    const given = parse(body);
    if (given === null || !Object.keys(given).every((name) => members.has(name))) return null;
    const { query, operationName = null, variables = null } = given;
    if (typeof query !== 'string' || typeof variables !== 'object' || Array.isArray(variables)) return null;
    if (operationName !== null && typeof operationName !== 'string') return null;
    const document = known.get(query);
    if (document === undefined || !isQuery(document, operationName)) return null;
    return { document, operationName, variables: variables as Parameters['variables'] };
  }

  async function run(parameters: Parameters, mediaType: string, { req, res, exchange }: ServerContext) {
    const request: OperationRequest = { ...parameters, exchange };
    const context = createContext(req.headers.authorization, exchange);
    const result = execution.finish(await execution.execute(request, context), exchange, isCostAsked(req));
    // Nobody is there to be answered.
    if (exchange.signal.aborted) return;
    return send(result, res, mediaType);
  }

  return {
    accepts(req, { whole }) {
      const { 'content-type': contentType, 'content-length': length, 'content-encoding': encoding } = req.headers;
      if (req.method !== 'POST' || req.url !== '/graphql' || encoding !== undefined) return null;
      if (!isJson(contentType) || !(Number(length) <= requestBody)) return null;
      return whole !== null && written.has(whole) ? whole : null;
    },
    answer(body, mediaType, context) {
      const parameters = parametersOf(body);
      return parameters && run(parameters, mediaType, context);
    },
  };
}

function send(result: ExecutionResult, res: ServerResponse, mediaType: string): void | Promise<void> {
  if (result.errors === undefined) return write(res, 200, `${mediaType}; charset=utf-8`, JSON.stringify(result));
  return sendFailed(result, res, mediaType);
}

/** Which status an error has is Yoga's to say, as it does for its own requests. */
async function sendFailed(result: ExecutionResult, res: ServerResponse, mediaType: string): Promise<void> {
  const response = processRegularResult(result, globalThis, mediaType);
  return write(res, response.status, response.headers.get('content-type') ?? mediaType, await response.text());
}

function write(res: ServerResponse, status: number, contentType: string, text: string): void {
  const length = Buffer.byteLength(text);
  res.writeHead(status, { 'content-type': contentType, 'content-length': length });
  // Where each character is one byte, Latin-1 is the same as UTF-8 and costs a fraction of it.
  res.end(text, length === text.length ? 'latin1' : 'utf8');
}

function parse(body: Buffer): Readonly<Record<string, unknown>> | null {
  // What is no UTF-8 is Yoga's to refuse, and not to be read as if it were.
  if (!isUtf8(body)) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

/** What may be answered in pieces goes through Yoga, which does so. */
function isQuery(document: DocumentNode, operationName: string | null): boolean {
  return !usesDirectives(document) && getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
}
