import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { createHash } from 'node:crypto';
import Negotiator from 'negotiator';
import { addVary, hasAlready } from './cache-headers.ts';

/** Characters of an Accept-Encoding header that is read: browsers send thirty. A longer one is taken to ask for nothing. */
export const acceptEncodingLength = 1_000;

// In the order of preference where a client gives none: zstd takes the least time for its size.
const codings = ['zstd', 'br', 'gzip'] as const;
/** The content codings in which responses are sent (RFC 9110, section 8.4.1). */
export type Coding = (typeof codings)[number];

/** Chooses the coding of a response by the weights of Accept-Encoding; null means that it is sent as it is. */
export type ChooseCoding = (req: IncomingMessage) => Coding | null;

/** Leaves the coding of all responses to a proxy. */
export const chooseNone: ChooseCoding = () => null;

// The types of the package lack the second argument.
type Encoding = (
  available: readonly string[],
  options: { readonly preferred: readonly string[] },
) => string | undefined;

/** Chooses the coding that a client prefers. One that sends no header wants none. */
export const choosePreferred: ChooseCoding = ({ headers }) => {
  const header = headers['accept-encoding'];
  if (typeof header !== 'string' || header.length > acceptEncodingLength) return null;
  // The package knows the weight by the small letter alone.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header.toLowerCase() } });
  const chosen = (negotiator.encoding as Encoding)([...codings, 'identity'], { preferred: codings });
  // A client that refuses every coding, identity included, gets the response as it is: it can still read that.
  return codings.find((coding) => coding === chosen) ?? null;
};

const { constants } = zlib;
// Levels at which a response costs less than it took to make it: higher ones save a tenth and take several times as long.
const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const gzip = { level: 1 };
// A window of 256 KiB, so that many downloads fit into memory.
const windowBits = 18;
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: windowBits } };
const zstdStream = { params: { ...zstd.params, [constants.ZSTD_c_windowLog]: windowBits } };

/** Compresses a whole body in a thread, so that no other request waits for it. */
export const compress: Readonly<Record<Coding, (bytes: Buffer, options?: object) => Promise<Buffer>>> = {
  zstd: (bytes, options = zstd) => promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)(bytes, options),
  br: (bytes, options = brotli) => promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(bytes, options),
  gzip: (bytes, options = gzip) => promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)(bytes, options),
};
// What is kept is compressed once: GraphiQL's first load takes a fifth less by these, and 0.3 s of a thread.
const keptOptions: Readonly<Record<Coding, object>> = {
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 9 } },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } },
  gzip: { level: 9 },
};

/**
 * Creates a stream that compresses what is written to it, at the pace of its reader, with a bounded part in memory. Each chunk is sent on
 * as it comes: a report may come slowly, and its reader wants to see it come.
 */
export const createCompressor: Readonly<Record<Coding, () => Transform>> = {
  zstd: () => zlib.createZstdCompress({ ...zstdStream, flush: constants.ZSTD_e_flush }),
  br: () => zlib.createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => zlib.createGzip({ ...gzip, flush: constants.Z_SYNC_FLUSH }),
};

/** Sends a text as a media type without parameters; with status 200, the default, a client that has it already gets 304. */
type SendKeptText = (req: IncomingMessage, res: ServerResponse, mediaType: string, status?: 200 | 404) => Promise<void>;

/**
 * Serves a text that never changes, whose media type and coding each client chooses, and which caches may keep as `cacheControl` says. It
 * is compressed once for each coding, and all requests share the bytes.
 */
export function createKeptText(text: Buffer, chooseCoding: ChooseCoding, cacheControl: string): SendKeptText {
  const compressed = new Map<Coding, Promise<Buffer>>();
  let etag: string | null = null;
  return async (req, res, mediaType, status = 200) => {
    addVary(res, 'Accept, Accept-Encoding');
    // Weak, since it names the bytes in every coding.
    etag ??= `W/"${createHash('sha256').update(text).digest('base64')}"`;
    const caching = { etag, 'cache-control': cacheControl };
    if (status === 200 && hasAlready(req, etag)) {
      res.writeHead(304, caching).end();
      return;
    }
    const coding = chooseCoding(req);
    if (coding !== null && !compressed.has(coding)) compressed.set(coding, compress[coding](text, keptOptions[coding]));
    const body = (coding && (await compressed.get(coding))) ?? text;
    res.writeHead(status, {
      ...caching,
      'content-type': `${mediaType}; charset=utf-8`,
      'content-length': body.length,
      ...(coding !== null && { 'content-encoding': coding }),
    });
    res.end(body);
  };
}
