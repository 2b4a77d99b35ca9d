import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from '../request/request.ts';

/** The request headers on which a response for one caller depends. */
const callerHeaders = 'Authorization, Accept, Accept-Encoding';

const forCaller = 'private, no-store';

/** The Cache-Control of a response that comes in parts. A proxy that compressed it would hold the parts back. */
export const streamCaching = `${forCaller}, no-transform`;

/** Makes a response one for its caller alone: no cache keeps it, whether it is an answer, an error or a stream. */
export function keepForCaller(res: ServerResponse): void {
  res.setHeader('cache-control', forCaller);
  addVary(res, callerHeaders);
}

/** Sets the headers that every response has. */
export function setCommonHeaders({ res, requestId }: Pick<Request, 'res' | 'requestId'>): void {
  res.setHeader('x-request-id', requestId);
  res.setHeader('x-content-type-options', 'nosniff');
}

/** Sets the headers that every response for its caller alone has, unless they are set already. */
export function setHeadersForCaller(request: Request): void {
  if (request.res.hasHeader('x-request-id')) return;
  setCommonHeaders(request);
  keepForCaller(request.res);
}

/**
 * The same headers and those of the body, as `writeHead` takes them: all at once they cost half of what they cost one by one. The
 * length is in bytes.
 */
export function headersForCaller({ res, requestId }: Request, contentType: string, length: number): string[] {
  return [
    'x-request-id',
    requestId,
    'x-content-type-options',
    'nosniff',
    'cache-control',
    forCaller,
    'vary',
    varyOf(res, callerHeaders),
    'content-type',
    contentType,
    'content-length',
    String(length),
  ];
}

/** Names further request headers on which a response depends, behind those that are named already. */
export function addVary(res: ServerResponse, names: string): void {
  res.setHeader('vary', varyOf(res, names));
}

function varyOf(res: ServerResponse, names: string): string {
  const before = res.getHeader('vary');
  return before === undefined ? names : `${String(before)}, ${names}`;
}

/** Whether a client has a response already, by its If-None-Match: one entity tag or several, or `*` (RFC 9110, section 13.1.2). */
export function hasAlready({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers['if-none-match'] ?? '';
  if (given.trim() === '*') return true;
  const tags: readonly string[] = given.match(/"[^"]*"/g) ?? [];
  // The comparison is weak: a tag names the content, in whatever coding it is sent.
  return tags.includes(etag.replace(/^W\//, ''));
}

/** Sends a value of this moment as JSON. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendText(res, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** Sends a text of this moment, such as an error, which no cache keeps unless `cache-control` is set already. */
export function sendText(res: ServerResponse, status: number, contentType: string, body: string): void {
  if (!res.hasHeader('cache-control')) res.setHeader('cache-control', 'no-store');
  res.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  res.end(body);
}
