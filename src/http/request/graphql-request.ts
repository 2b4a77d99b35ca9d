import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { Accepted } from './media-types.ts';

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
    takesStream: accepted.takesEvents && !isHead,
    lastEventId: lastEventId === undefined ? null : String(lastEventId),
    wantsExplanation: isExplaining && headers['x-explain'] === '1',
    wantsCost: headers['x-cost'] === '1',
  };
}
