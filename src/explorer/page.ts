import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import { addVary, hasAlready } from '../http/response/cache-headers.ts';
import { createCodingChoice } from '../http/response/compression.ts';

/** A page in source form. It holds everything that it needs but the files of `/assets`, and one inline script runs it. */
export interface PageSource {
  readonly html: string;
  /** The exact text between the tags of the script; empty where there is none. */
  readonly script: string;
  /** What the page may do besides running that script, by directive of its policy. */
  readonly allowed: Readonly<Record<string, string>>;
}

/** A page in compressed form, with the headers that belong to its bytes. */
export interface PackedPage {
  readonly zipped: Uint8Array;
  /** Bytes of the page in plain form. */
  readonly length: number;
  readonly headers: { readonly etag: string } & Readonly<Record<string, string>>;
}

function pack(text: string, headers: Readonly<Record<string, string>>): PackedPage {
  const plain = Buffer.from(text);
  // Weak, since it names the compressed and the plain bytes.
  const etag = `W/"${versionOf(text)}"`;
  return { zipped: gzipSync(plain), length: plain.length, headers: { etag, ...headers } };
}

function versionOf(text: string): string {
  return sha256(text).replaceAll(/\W/g, '').slice(0, 12);
}

/** Compresses a page, and chooses its headers. */
export function packPage(source: PageSource): PackedPage {
  return pack(source.html, {
    'cache-control': 'no-cache',
    'content-security-policy': policyOf(source),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    // For browsers without support for the policy's frame-ancestors.
    'x-frame-options': 'DENY',
  });
}

/** The name of what all guides say, by section, among the packed pages. */
export const sectionsPath = '/docs as JSON';

/** Compresses data for the scripts of pages, as JSON. */
export function packJson(value: unknown): PackedPage {
  return pack(JSON.stringify(value), {
    'cache-control': 'no-cache',
    'content-type': 'application/json; charset=utf-8',
  });
}

/** The files of GraphiQL's page. */
export const assetNames = [
  'graphiql.css',
  'explorer.js',
  'graphiql.js',
  'editor-worker.js',
  'json-worker.js',
  'graphql-worker.js',
] as const;

/** A file of a page: its text, and its type by the end of its name. */
export interface Asset {
  readonly name: (typeof assetNames)[number];
  readonly text: string;
}

/** The address of a file of a page. It changes with the text, so that browsers need never ask again. */
export function addressOf({ name, text }: Asset): string {
  return `/assets/${name}?${versionOf(text)}`;
}

/** Compresses a file of a page. */
export function packAsset({ name, text }: Asset): PackedPage {
  return pack(text, {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'",
    'content-type': name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
  });
}

/** Sends a file of a page. An address of another version, as of an old page, gets it too, but keeps it no longer than this response. */
export function sendAsset(
  req: IncomingMessage,
  res: ServerResponse,
  asset: PackedPage,
  version: string,
): Promise<void> {
  const isCurrent = asset.headers.etag === `W/"${version}"`;
  const headers = isCurrent ? asset.headers : { ...asset.headers, 'cache-control': 'no-cache' };
  return sendPage(req, res, { ...asset, headers }, 'accept-encoding');
}

/** Writes the policy of a page. It names the one script by its hash, and denies everything that is not in `allowed`. */
function policyOf({ script, allowed }: PageSource): string {
  const directives = {
    'default-src': "'none'",
    'script-src': script === '' ? "'none'" : `'sha256-${sha256(script)}'`,
    ...allowed,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

// Pages are kept in one coding, which every browser takes.
const chooseCoding = createCodingChoice(['gzip']);

/** Sends a page. `vary` names the headers that decide between this page and another response. */
export async function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  { zipped, length, headers }: PackedPage,
  vary: string,
  status: 200 | 404 = 200,
): Promise<void> {
  addVary(res, vary);
  if (status === 200 && hasAlready(req, headers.etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  const head = { 'content-type': 'text/html; charset=utf-8', ...headers };
  if (chooseCoding(req) !== null) {
    res.writeHead(status, { ...head, 'content-length': zipped.length, 'content-encoding': 'gzip' }).end(zipped);
    return;
  }
  const plainHead = { ...head, 'content-length': length };
  if (req.method === 'HEAD') res.writeHead(status, plainHead).end();
  // A client that has the last byte may leave before a stream has ended, which would look as if it had given up.
  else if (length <= wholePageBytes) res.writeHead(status, plainHead).end(gunzipSync(zipped));
  else await sendPlain(zipped, res, () => res.writeHead(status, plainHead));
}

const wholePageBytes = 1_000_000;

/** Sends the plain form to the few clients that take no other, at the pace of each: that of GraphiQL's program has nine megabytes. */
async function sendPlain(zipped: Uint8Array, res: ServerResponse, writeHead: () => void): Promise<void> {
  const plain = createGunzip();
  plain.end(zipped);
  // A response that has begun ends where its client ends its side, so this one begins with its first bytes.
  await once(plain, 'readable');
  writeHead();
  // The client may leave.
  await pipeline(plain, res).catch(() => {});
}
