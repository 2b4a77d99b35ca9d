import type { IncomingMessage } from 'node:http';
import { readAccept } from '../request/media-types.ts';

/** Whether a request is a browser's for the page, and not a client's for the result of a query. */
export function isPageRequest({ method, headers }: IncomingMessage, url: URL): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || url.searchParams.has('query')) return false;
  return readAccept(headers.accept).takesPage;
}
