import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { Accepted } from './media-types.ts';

/** A request for GraphQL and its answer, as Yoga and the direct route are handed them. */
export interface ServerContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly exchange: Exchange;
  readonly accepted: Accepted;
  /** Whether the head of the answer alone is wanted (RFC 9110, section 9.3.2). */
  readonly isHead: boolean;
}
