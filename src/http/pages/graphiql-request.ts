import type { IncomingMessage } from 'node:http';
import { readAccept } from '../request/media-types.ts';

/** Whether a browser asks for the page, and not a client for an answer. */
export function isPageRequest({ method, headers }: IncomingMessage, url: URL): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || url.searchParams.has('query')) return false;
  return readAccept(headers.accept).takesPage;
}
