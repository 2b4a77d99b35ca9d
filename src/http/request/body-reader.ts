import type { IncomingMessage, ServerResponse, IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isUtf8 } from 'node:buffer';
import { requestBody } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { parseExactly, withoutByteOrderMark } from '../../json.ts';
import { BodyChunks } from '../../body-chunks.ts';
import { isUtf8Name, mediaTypeOf } from './media-types.ts';

/** Bytes of a request body that is always read, however many others are under way: most bodies have fewer. */
export const smallBody = 16_384;

/** Levels of lists and objects in a request body that is not small. Arguments have five; what a client adds for itself may have more. */
export const bodyDepth = 100;

/** Members, items, lists and objects in such a body; a reference of `_entities` has three. At worst so many take thirty milliseconds. */
export const bodyValues = 50_000;

/** Members of one object in such a body: inputs have some twenty. Names of which no two are the same take several times as long. */
const bodyMembers = 1_000;

/** Bytes of all request bodies that have begun and not ended. Those of honest clients arrive within milliseconds. */
export const bodiesUnderWay = 67_108_864;

// An honest body has ended by then.
const longestWaitMs = 2_000;

/** A body that has begun to come. */
interface UnfinishedBody {
  /** When it began, by performance.now() in milliseconds. */
  readonly since: number;
  /** What has come. */
  readonly chunks: BodyChunks;
  readonly giveUp: (error: GatewayError) => void;
}

function tooManyBodies(): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: 'This gateway is receiving too many large requests at a time. Try again.',
  });
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Returns QUERY_TOO_COMPLEX for a body of JSON that is nested too deeply or holds too many values; null where it may be parsed.
 * Parsing such a body takes tens of milliseconds, in which no other request is served. A small body is always parsed.
 */
export function excessOfBody(body: Buffer): GatewayError | null {
  return body.length <= smallBody ? null : excessOfJson(body);
}

/** Returns the fault of a body of any length: what is parsed may be read by recursion, or written again. */
export function excessOfJson(body: Buffer, mostValues = bodyValues): GatewayError | null {
  let depth = 0;
  let values = 0;
  // Of each object that is open; a list has any number of items.
  const members: number[] = [];
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at);
    else if (byte === comma) {
      values++;
      const count = (members[depth] = (members[depth] ?? 0) + 1);
      if (count > bodyMembers) return tooLarge('has an object of more', 'members', bodyMembers, count);
    } else if (byte === openList || byte === openObject) {
      values++;
      depth++;
      members[depth] = byte === openObject ? 1 : -Infinity;
      if (depth > bodyDepth) return tooLarge('is nested deeper', 'levels', bodyDepth, depth);
    } else if (byte === closeList || byte === closeObject) depth--;
    if (values > mostValues) return tooLarge('holds more', 'values', mostValues, values);
  }
  return null;
}

/** Returns the position of the quotation mark that ends the text at `open`; the length of the body, or more, where there is none. */
function endOfText(body: Buffer, open: number): number {
  let at = open + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

/** Creates the error of a body. Counting stops at the limit, so `actual` is the count by then. */
function tooLarge(what: string, counted: string, limit: number, actual: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The body of the request ${what} than ${limit} ${counted}. Ask for less at a time.`,
    excess: { limit, actual },
  });
}

const lingeringMs = 1_000;

/** Ends a connection, which lingers for a second: closed at once, it might lose the response (RFC 9112, section 9.6). */
function end(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), lingeringMs).unref();
}

/** Reads the JSON bodies of requests. Those that are not small any longer, and have not ended, have one bound on their memory. */
export class BodyReader {
  readonly #most: number;
  readonly #large = new Set<UnfinishedBody>();
  #total = 0;

  /** A worker has a part of the bound, with room for one body. */
  constructor(workers = 1) {
    this.#most = Math.max(requestBody, bodiesUnderWay / workers);
  }

  /**
   * Reads a body. One that grows beyond `requestBody` is given up: then it is what has come, more than `requestBody` bytes. Rejects if the
   * client has left; with RATE_LIMITED if unfinished bodies hold too much memory; and with QUERY_TOO_COMPLEX if the JSON would take too
   * long to parse.
   */
  read(req: IncomingMessage, res: ServerResponse): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks = new BodyChunks();
    const body: UnfinishedBody = { since: performance.now(), chunks, giveUp };
    const forget = (): void => this.#forget(body);
    const grow = (chunk: Buffer): void => {
      chunks.add(chunk);
      this.#grow(body, chunk.length);
      if (chunks.length <= requestBody) return;
      dropRest();
      resolve(chunks.whole);
    };

    function giveUp(error: GatewayError): void {
      dropRest();
      // The connection lingers, and would keep the chunks in memory.
      chunks.clear();
      reject(error);
    }

    /** Unread data would reset the connection before the response is read. */
    function dropRest(): void {
      forget();
      req.off('data', grow).off('end', takeWhole).resume();
      res.once('finish', () => end(req.socket));
    }

    function takeWhole(): void {
      forget();
      const { whole } = chunks;
      const excess = excessOfBody(whole);
      if (excess === null) resolve(whole);
      else reject(excess);
    }

    // Each of these events comes once at most, and `once` would cost more than its listener. Without a listener for it, Node sends no
    // error; the request is closed behind it anyway.
    req.on('data', grow);
    req.on('end', takeWhole);
    req.on('close', () => {
      // Every request is closed, and creating an error costs more than everything else here.
      if (req.readableEnded) return;
      forget();
      reject(new Error('The client has left.'));
    });
    return promise;
  }

  /**
   * Counts bytes of a body that have come. Where all bodies hold too much, one is given up with RATE_LIMITED: the largest that has taken
   * longer than two seconds, or else the one that has just grown. So clients that send half a body and wait can block large bodies
   * alone, and only for two seconds.
   */
  #grow(body: UnfinishedBody, bytes: number): void {
    const { length } = body.chunks;
    if (length <= smallBody) return;
    this.#total += this.#large.has(body) ? bytes : length;
    this.#large.add(body);
    if (this.#total <= this.#most) return;
    const before = performance.now() - longestWaitMs;
    const slow = [...this.#large].filter(({ since }) => since < before);
    slow
      .reduce((largest, each) => (each.chunks.length > largest.chunks.length ? each : largest), slow[0] ?? body)
      .giveUp(tooManyBodies());
  }

  #forget(body: UnfinishedBody): void {
    if (this.#large.delete(body)) this.#total -= body.chunks.length;
  }
}

const json = 'application/json';

/** Why the headers of a request show that its body is no plain JSON. */
export interface HeadFault {
  readonly message: string;
  /** What a response with status 415 says of it: the codings that are taken, if a coding is the fault (RFC 9110, section 15.5.16). */
  readonly headers: Readonly<Record<string, string>>;
}

const otherType: HeadFault = { message: 'Send the query as application/json, in UTF-8.', headers: {} };
const isCoded: HeadFault = {
  message: 'Send the query without a Content-Encoding.',
  headers: { 'accept-encoding': 'identity' },
};

/** Returns why the headers of a request show that its body is no plain JSON; null where they do not. */
export function faultOfHead(headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>): HeadFault | null {
  if (!isJson(headers['content-type'])) return otherType;
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? null : isCoded;
}

/** Whether a Content-Type names JSON in UTF-8 (RFC 9110, section 8.3). Case does not matter, and values may be quoted. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === json) return true;
  const mediaType = mediaTypeOf(contentType ?? '');
  return mediaType?.essence === json && isUtf8Name(mediaType.params.get('charset'));
}

/**
 * Parses a body of JSON, which may begin with a byte order mark, with its numbers digit for digit (`parseExactly`). Undefined where it
 * is no JSON in UTF-8; no other encoding is guessed. The message of a SyntaxError would quote the body, which may hold a secret.
 */
export function parseBody(body: Buffer, parse = parseExactly): unknown {
  if (!isUtf8(body)) return undefined;
  const text = body.toString('utf8');
  try {
    return parse(withoutByteOrderMark(text));
  } catch {
    return undefined;
  }
}
