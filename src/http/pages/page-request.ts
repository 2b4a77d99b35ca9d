import type { IncomingMessage } from 'node:http';
import { readAccept } from '../request/media-types.ts';

/** Whether a request is a browser's for a page. */
export function isPageRequest({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && readAccept(headers.accept).takesPage;
}
