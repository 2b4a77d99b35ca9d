import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Whether a browser asks for the page, and not a client for an answer. */
export function isPageRequest({ method, headers }: IncomingMessage, url: URL): boolean {
  return method === 'GET' && !url.searchParams.has('query') && /\btext\/html\b/.test(headers.accept ?? '');
}

let page: Promise<{ readonly html: Buffer; readonly zipped: Buffer }> | undefined;

/** Answers GraphiQL, from this process alone. Its nine megabytes are built and compressed once, when first asked for. */
export async function sendGraphiql({ headers }: IncomingMessage, res: ServerResponse): Promise<void> {
  page ??= buildPage();
  const { html, zipped } = await page;
  const isZipped = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
  res.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    vary: 'accept, accept-encoding',
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
  res.end(isZipped ? zipped : html);
}

async function buildPage(): Promise<{ readonly html: Buffer; readonly zipped: Buffer }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = Buffer.from(renderGraphiQL({ endpoint: '/graphql', title: 'Switchboard' }));
  return { html, zipped: await promisify(gzip)(html) };
}
