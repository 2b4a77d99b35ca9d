import type { ServerResponse } from 'node:http';
import { messageValues, requestBody } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type { Endpoints, Handler } from '../http/endpoint.ts';
import { secondCredential } from '../http/request/authorization.ts';
import { wholeBody, type ReadBody, excessOfJson } from '../http/request/body-reader.ts';
import type { Exchange } from '../http/request/exchange.ts';
import { readAccept, takesType } from '../http/request/media-types.ts';
import { faultOfHead } from '../http/request/request-body.ts';
import { keepForCaller } from '../http/response/caching.ts';
import { statusOf } from '../http/response/error-response.ts';
import { readMessage } from './message.ts';
import type { Protocol } from './protocol.ts';
import type { RequestGuard } from './request-guard.ts';

/** The server of tools. */
export interface McpServer {
  readonly endpoints: Endpoints;
  /** Loads the protocol, for which the first request would wait. */
  readonly load: () => Promise<unknown>;
}

export interface McpServerOptions {
  readonly guard: RequestGuard;
  /** The reader of `/graphql`: unfinished bodies have one bound together. */
  readonly readBody: ReadBody;
  readonly loadProtocol: () => Promise<Protocol>;
}

interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

const refused = -32_000;
const invalidRequest = -32_600;
const methodNotFound = -32_601;
const tooLong = `A message has at most ${requestBody} bytes.`;
const accepted = readAccept('application/json');

/** Creates the endpoint of the tool server (MCP, "Streamable HTTP"): POST with one message at a time. */
export function createMcpServer({ guard, readBody, loadProtocol }: McpServerOptions): McpServer {
  let protocol: Promise<Protocol> | null = null;
  const load = (): Promise<Protocol> => {
    protocol ??= loadProtocol().catch((error: unknown) => {
      protocol = null;
      throw error;
    });
    return protocol;
  };

  const respond: Handler = async ({ req, res, exchange }) => {
    keepForCaller(res);
    const refuse = (status: number, message: string, code = refused, id: unknown = null): void => {
      exchange.record.noteErrors(['BAD_REQUEST']);
      sendError(res, status, { code, message }, id);
    };
    const fault = guard(req.headers);
    if (fault !== null) return refuse(403, fault);
    if (req.method !== 'POST') {
      res.setHeader('allow', 'POST');
      return refuse(405, 'Send each message by POST: there are no sessions.');
    }
    const second = secondCredential(req);
    if (second !== null) return refuseUnread(second, res, exchange);
    if (!takesType(req.headers.accept, 'application/json')) return refuse(406, 'A response is application/json.');
    const headFault = faultOfHead(req.headers);
    if (headFault !== null) return refuse(415, 'Send the message as application/json, in UTF-8 and not encoded.');
    if (Number(req.headers['content-length']) > requestBody) return refuse(413, tooLong);
    const body = await wholeBody(readBody, req, res).catch(asGatewayError);
    if (body instanceof GatewayError) return refuseUnread(body, res, exchange);
    if (body.length > requestBody) return refuse(413, tooLong);
    const excess = excessOfJson(body, messageValues);
    if (excess !== null) return refuseUnread(excess, res, exchange);
    const message = readMessage(body, exchange);
    if ('code' in message) return refuse(400, message.text, message.code);
    const { method, id } = message.value;
    // A stream on which nothing would ever come, and which anybody could hold open for ever.
    if (method === 'subscriptions/listen' && id !== undefined)
      return refuse(404, 'Nothing of this server changes while it runs.', methodNotFound, id);
    const serve = await load();
    return serve(message, {
      req,
      res,
      exchange,
      accepted,
      isHead: false,
      takesStream: false,
      lastEventId: null,
      wantsExplanation: false,
      wantsCost: false,
    });
  };

  // Where it cannot be loaded now, the first request tries again, and reports the failure.
  return { endpoints: { '/mcp': respond }, load: () => load().catch(() => {}) };
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

/** Refuses a message of which nothing has been parsed, so that its id is not known. */
function refuseUnread(
  { code, retryable, message, excess }: GatewayError,
  res: ServerResponse,
  { record }: Exchange,
): void {
  const status = statusOf(code);
  record.noteErrors([code]);
  sendError(res, status, {
    code: status === 400 ? invalidRequest : refused,
    message,
    data: { code, retryable, ...excess },
  });
}

/** Sends an error of JSON-RPC. */
function sendError(res: ServerResponse, status: number, error: JsonRpcError, id: unknown = null): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error });
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}
