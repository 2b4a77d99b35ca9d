import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addVary, hasAlready } from '../http/response/caching.ts';
import { pack, unpack, createCodingChoice } from '../http/response/compression.ts';

/** A page in source form. It holds everything that it needs, and one inline script runs it. */
export interface PageSource {
  readonly html: string;
  /** The exact text between the tags of the script. */
  readonly script: string;
  /** What the page may do besides running that script, by directive of its policy. */
  readonly allowed: Readonly<Record<string, string>>;
}

/** A page in compressed form, with the headers that belong to its bytes. */
export interface PackedPage {
  readonly zipped: Uint8Array;
  readonly headers: { readonly etag: string } & Readonly<Record<string, string>>;
}

/** A page that is kept in compressed form alone. */
export interface ServedPage extends PackedPage {
  /** The page in plain form, whose bytes all share that need them at the same time. */
  readonly unpacked: () => Promise<Uint8Array>;
}

// Pages are kept in one coding, which every browser takes.
const chooseCoding = createCodingChoice(['gzip']);

/** Sends a page. `vary` names the headers that decide between this page and another response. */
export async function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  { zipped, headers, unpacked }: ServedPage,
  vary: string,
  status: 200 | 404 = 200,
): Promise<void> {
  addVary(res, vary);
  if (status === 200 && hasAlready(req, headers.etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  const isZipped = chooseCoding(req) !== null;
  const body = isZipped ? zipped : await unpacked();
  res.writeHead(status, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
  res.end(body);
}

/**
 * Writes a page at its first request, and keeps it. After a failure, such as a file that cannot be opened for too many
 * connections, the next request writes it.
 */
export function keepPage(write: () => Promise<PageSource>): () => Promise<ServedPage> {
  let page: Promise<ServedPage> | null = null;
  return () => {
    page ??= write()
      .then(packPage)
      .then(servePage)
      .catch((error: unknown) => {
        page = null;
        throw error;
      });
    return page;
  };
}

/** Compresses a page, and chooses its headers. */
export async function packPage(source: PageSource): Promise<PackedPage> {
  const html = Buffer.from(source.html);
  const headers = {
    // Weak, since it names the compressed and the plain bytes.
    etag: `W/"${sha256(html)}"`,
    'cache-control': 'no-cache',
    'content-security-policy': policyOf(source),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    // For browsers without support for the policy's frame-ancestors.
    'x-frame-options': 'DENY',
  };
  return { zipped: await pack(html), headers };
}

/** Prepares a compressed page to be served, also to the few clients that take no other form. */
export function servePage({ zipped, headers }: PackedPage): ServedPage {
  let unpacking: Promise<Uint8Array> | null = null;
  // The plain form of GraphiQL takes three times the memory of the compressed one, and is hardly ever asked for.
  let html: WeakRef<Uint8Array> | null = null;
  async function unpackOnce(): Promise<Uint8Array> {
    try {
      const bytes = await unpack(zipped);
      html = new WeakRef(bytes);
      return bytes;
    } finally {
      unpacking = null;
    }
  }
  return { zipped, headers, unpacked: async () => html?.deref() ?? (unpacking ??= unpackOnce()) };
}

/** Writes the policy of a page. It names the one script by its hash, and denies everything that is not in `allowed`. */
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
