import type { ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { Request } from './request/request.ts';
import { keepForCaller } from './response/cache-headers.ts';
import { sendErrors } from './response/error-response.ts';

/** Responds to a request. What it throws goes to `sendFailure`, which it calls itself for a failure that comes after it has returned. */
export type Handler = (request: Request) => unknown;

/** Handlers by their path. The path is the endpoint's name in the log and the metrics. */
export type Endpoints = Readonly<Record<string, Handler>>;

/** Makes a handler refuse every method but GET and HEAD. */
export function readOnly(handle: Handler): Handler {
  return (request) => (request.isRead ? handle(request) : refuseMethod(request, 'GET, HEAD'));
}

/** Refuses the method of a request, whatever else may be wrong with it, and names the methods that the endpoint allows. */
export function refuseMethod(request: Request, allowed: string): void {
  keepForCaller(request.res);
  request.res.setHeader('allow', allowed);
  const refusal = new GatewayError('BAD_USER_INPUT', { message: `This endpoint takes ${allowed} alone.` });
  sendErrors(request, refusal, 405);
}

/** Refuses a request for an address that there is not. */
export const notFound: Handler = (request) =>
  sendErrors(request, new GatewayError('NOT_FOUND', { message: 'There is no such endpoint.' }));

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
