import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** A page as it is written: all that it needs is in it, and one inline script runs it. */
export interface PageSource {
  readonly html: string;
  /** The script's text to the letter, as it stands between its tags. */
  readonly script: string;
  /** What the page may do beyond running that script, by directive of its policy. */
  readonly allowed: Readonly<Record<string, string>>;
}

/** A page as it goes over the wire when it is compressed, with the headers that belong to exactly these bytes. */
export interface PackedPage {
  readonly zipped: Uint8Array;
  readonly headers: { readonly etag: string } & Readonly<Record<string, string>>;
}

/** The same also as it goes over the wire when it is not. */
export interface ServedPage extends PackedPage {
  readonly html: Uint8Array;
}

/** The sign of Switchboard, for pages and the tabs of browsers: an SVG. */
export const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="#d64292" ' +
  'stroke-width="2" stroke-linecap="round"><circle cx="5" cy="6" r="2"/><circle cx="5" cy="18" r="2"/>' +
  '<circle cx="19" cy="12" r="2"/><path d="M7 6h3c4 0 3 6 7 6M7 18h3c4 0 3-6 7-6"/></svg>';

/** The same as an address of its own, so that no browser asks for an icon. */
export const icon = `data:image/svg+xml,${encodeURIComponent(mark)}`;

/** Answers with a page; all answers share its bytes. `vary` names what of a request decides that it is this one. */
export function sendPage(req: IncomingMessage, res: ServerResponse, page: ServedPage, vary: string): void {
  const { html, zipped, headers } = page;
  res.appendHeader('vary', vary);
  if (isKnown(headers.etag, req.headers['if-none-match'])) {
    res.writeHead(304, headers).end();
    return;
  }
  const isZipped = new Negotiator(req).encoding(['gzip', 'identity']) === 'gzip';
  const body = isZipped ? zipped : html;
  res.writeHead(200, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
  res.end(body);
}

/** Whether a client has the page already: one entity tag or several, weak or strong, or any at all (RFC 9110, section 13.1.2). */
function isKnown(etag: string, ifNoneMatch = ''): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag.replace(/^W\//, ''));
}

/** Compresses a page, and decides on its headers. */
export async function packPage(source: PageSource): Promise<PackedPage> {
  const html = Buffer.from(source.html);
  const headers = {
    // Weak, since it stands for the zipped bytes as well.
    etag: `W/"${sha256(html)}"`,
    'cache-control': 'no-cache',
    'content-security-policy': policyOf(source),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    // For browsers that do not know the policy's frame-ancestors.
    'x-frame-options': 'DENY',
  };
  return { zipped: await promisify(gzip)(html), headers };
}

/** Decompresses a page for those who take it in no other form. */
export async function unpackPage(page: PackedPage): Promise<ServedPage> {
  return { ...page, html: await promisify(gunzip)(page.zipped) };
}

/** The policy names the page's one script by its hash, and denies what was not asked for. */
function policyOf({ script, allowed: { 'script-src': besides, ...others } }: PageSource): string {
  const scripts = [`'sha256-${sha256(script)}'`, ...(besides === undefined ? [] : [besides])];
  const directives = {
    'default-src': "'none'",
    'script-src': scripts.join(' '),
    ...others,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64');
}
