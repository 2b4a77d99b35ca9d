import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { Accepted } from './media-types.ts';

/** A request for GraphQL: what its head says. Both paths are handed it. */
export interface GraphqlRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly exchange: Exchange;
  readonly accepted: Accepted;
  /** Whether the head of the response alone is wanted (RFC 9110, section 9.3.2). */
  readonly isHead: boolean;
  /** Whether a stream is begun for it: not for its head alone, nor where no events are accepted. */
  readonly takesStream: boolean;
  /** What the client sent as `Last-Event-ID`, to go on with a stream from there; null without it. */
  readonly lastEventId: string | null;
  /** Whether the response shows which upstream calls the operation causes (`X-Explain: 1`). */
  readonly isExplained: boolean;
  /** Whether the response shows what the operation costs (`X-Cost: 1`). */
  readonly isCostAsked: boolean;
}

/** Reads the head of a request; clients may ask for an explanation where `isExplaining`. */
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
    isExplained: isExplaining && headers['x-explain'] === '1',
    isCostAsked: headers['x-cost'] === '1',
  };
}
