import type { IncomingMessage } from 'node:http';
import { writeGraphiql } from './graphiql-page.ts';
import { pageSender } from './page.ts';

/** Whether a browser asks for the page, and not a client for an answer. */
export function isPageRequest({ method, headers }: IncomingMessage, url: URL): boolean {
  return method === 'GET' && !url.searchParams.has('query') && /\btext\/html\b/.test(headers.accept ?? '');
}

/** Answers GraphiQL, from this process alone. */
export const sendGraphiql = pageSender(writeGraphiql, 'accept, accept-encoding');
