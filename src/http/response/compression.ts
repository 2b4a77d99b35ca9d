import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { compressedAtOnce } from '../../bounds.ts';
import type { Coding } from './content-coding.ts';

const { constants } = zlib;
// Levels at which a response costs less than it took to make it: higher ones save a tenth and take several times as long.
const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const gzip = { level: 1 };
// A window of 256 KiB, so that many downloads fit into memory.
const windowBits = 18;
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: windowBits } };
const zstdStream = { params: { ...zstd.params, [constants.ZSTD_c_windowLog]: windowBits } };

const atOnce: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  zstd: (bytes) => zlib.zstdCompressSync(bytes, zstd),
  br: (bytes) => zlib.brotliCompressSync(bytes, brotli),
  gzip: (bytes) => zlib.gzipSync(bytes, gzip),
};

const inThread: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: (bytes) => promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)(bytes, zstd),
  br: (bytes) => promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(bytes, brotli),
  gzip: (bytes) => promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)(bytes, gzip),
};

// Each chunk is sent on as it comes: a report may come slowly, and its reader wants to see it come.
const streams: Readonly<Record<Coding, () => Transform>> = {
  zstd: () => zlib.createZstdCompress({ ...zstdStream, flush: constants.ZSTD_e_flush }),
  br: () => zlib.createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => zlib.createGzip({ ...gzip, flush: constants.Z_SYNC_FLUSH }),
};

/** Compresses a text that is served for as long as the process runs: as small as gzip makes it, in a thread. */
export const pack: (bytes: Buffer) => Promise<Buffer> = promisify(zlib.gzip);
/** Restores what `pack` has made. */
export const unpack: (bytes: Uint8Array) => Promise<Buffer> = promisify(zlib.gunzip);

/** Compresses a whole body: a small one at once, a large one in a thread, so that no other request waits for it. */
export async function compress(coding: Coding, bytes: Buffer): Promise<Buffer> {
  return bytes.length <= compressedAtOnce ? atOnce[coding](bytes) : inThread[coding](bytes);
}

/** Creates a stream that compresses what is written to it, at the pace of its reader, with a bounded part in memory. */
export function createCompressor(coding: Coding): Transform {
  return streams[coding]();
}
