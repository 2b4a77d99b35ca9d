import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';

/** What Yoga is handed with each request. */
export interface ServerContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly exchange: Exchange;
}
