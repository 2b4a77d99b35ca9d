import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildPage, type Page } from './graphiql-page.ts';

/** Whether a browser asks for the page, and not a client for an answer. */
export function isPageRequest({ method, headers }: IncomingMessage, url: URL): boolean {
  return method === 'GET' && !url.searchParams.has('query') && /\btext\/html\b/.test(headers.accept ?? '');
}

let page: Promise<Page> | undefined;

/** Answers GraphiQL, from this process alone. Its nine megabytes are built and compressed once, when first asked for. */
export async function sendGraphiql({ headers }: IncomingMessage, res: ServerResponse): Promise<void> {
  // What could not be built this time is tried again the next.
  page ??= buildPage().catch((error: unknown) => {
    page = undefined;
    throw error;
  });
  const { html, zipped, etag, contentSecurityPolicy } = await page;
  res.appendHeader('vary', 'accept, accept-encoding');
  const own = {
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    // For browsers that do not know the policy's frame-ancestors.
    'x-frame-options': 'DENY',
  };
  if (headers['if-none-match'] === etag) {
    res.writeHead(304, own).end();
    return;
  }
  const isZipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const body = isZipped ? zipped : html;
  res.writeHead(200, {
    ...own,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
  res.end(body);
}
