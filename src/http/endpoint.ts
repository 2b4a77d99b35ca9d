import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { Exchange } from './request/exchange.ts';
import { readAccept } from './request/media-types.ts';
import { sendErrors } from './response/error-response.ts';

/** A request with what its handler needs. */
export interface RoutedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
  readonly exchange: Exchange;
  /** Responds with a failure, for handlers that return before they have one. */
  readonly fail: (error: unknown) => void;
}

/** Responds to a request. A failure before the response has begun is sent as JSON. */
export type Handler = (request: RoutedRequest) => unknown;

/** Handlers by their path. The path is the endpoint's name in the log and the metrics. */
export type Endpoints = Readonly<Record<string, Handler>>;

/** Makes a handler refuse every method but GET and HEAD. */
export function readOnly(handle: Handler): Handler {
  return (request) => (isRead(request.req) ? handle(request) : refuseMethod(request, 'GET, HEAD'));
}

/** Whether a request reads, and changes nothing: by GET, or by HEAD. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a request brings an operation in its body: by POST, or by QUERY, which says that it changes nothing (RFC 10008). */
export function takesOperation({ method }: IncomingMessage): boolean {
  return method === 'POST' || method === 'QUERY';
}

/** Whether a request is a browser's for a page. */
export function isPageRequest(req: IncomingMessage): boolean {
  return isRead(req) && readAccept(req.headers.accept).takesPage;
}

/** Refuses the method of a request, whatever else may be wrong with it, and names the methods that the endpoint allows. */
export function refuseMethod({ res, exchange }: RoutedRequest, allowed: string): void {
  res.setHeader('allow', allowed);
  const refusal = new GatewayError('BAD_USER_INPUT', { message: `This endpoint takes ${allowed} alone.` });
  sendErrors(res, exchange, refusal, { status: 405 });
}

/** Refuses a request for an address that there is not. */
export const notFound: Handler = ({ res, exchange }) =>
  sendErrors(res, exchange, new GatewayError('NOT_FOUND', { message: 'There is no such endpoint.' }));

/** Sends a value of this moment as JSON. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendText(res, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** Sends a text of this moment, which no cache keeps. */
export function sendText(res: ServerResponse, status: number, contentType: string, body: string): void {
  const length = Buffer.byteLength(body);
  res.writeHead(status, { 'cache-control': 'no-store', 'content-type': contentType, 'content-length': length });
  res.end(body);
}
