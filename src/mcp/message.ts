import { messageNameLength } from '../bounds.ts';
import type { Exchange } from '../http/request/exchange.ts';
import { parseBody } from '../http/request/request-body.ts';
import { isJsonObject, type JsonObject } from '../json.ts';

/** A message of a client: one JSON-RPC request, notification or response. */
export interface Message {
  /** As it was sent. */
  readonly value: JsonObject;
  /** The arguments of a call, as they were sent: the SDK drops a member `__proto__`. */
  readonly args: JsonObject;
  /** Whether the client wants to hear of progress. */
  readonly asksForProgress: boolean;
}

/** A body that is no message. */
export interface MessageFault {
  /** The code of JSON-RPC. */
  readonly code: -32_700 | -32_600;
  readonly text: string;
}

/**
 * Reads the body of a request. What a response returns as it came, its `id` and its progress token, is bounded here and holds no
 * key.
 */
export function readMessage(body: Buffer, { hideKey }: Pick<Exchange, 'hideKey'>): Message | MessageFault {
  const value = parseBody(body);
  if (value === undefined) return { code: -32_700, text: 'The body is no JSON in UTF-8.' };
  if (!isJsonObject(value)) return invalid('The body must be one JSON-RPC message.');
  const { jsonrpc, method, id, params } = value;
  // Any other number would be returned as one that the client has not sent.
  const isToken = (token: unknown): boolean =>
    token === undefined || Number.isSafeInteger(token) || (isName(token) && hideKey(token) === token);
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0".');
  if (method !== undefined && !isName(method)) return invalid('method must be a short text.');
  if (!isToken(id)) return invalid('id must be a whole number below 2^53 or a short text.');
  if (params !== undefined && !isJsonObject(params)) return invalid('params must be an object.');
  const { arguments: args, _meta: meta } = params ?? {};
  if (args !== undefined && !isJsonObject(args)) return invalid('arguments must be an object.');
  if (meta !== undefined && !isJsonObject(meta)) return invalid('_meta must be an object.');
  const { progressToken } = meta ?? {};
  if (!isToken(progressToken)) return invalid('progressToken must be a whole number below 2^53 or a short text.');
  return { value, args: args ?? {}, asksForProgress: progressToken !== undefined };
}

function invalid(text: string): MessageFault {
  return { code: -32_600, text };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= messageNameLength;
}
