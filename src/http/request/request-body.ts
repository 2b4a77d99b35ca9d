import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { MIMEType } from 'node:util';
import { smallBody } from '../../bounds.ts';
import { isUtf8Name } from './media-types.ts';

/** Gives a request the body that has been read already, in the form that Yoga takes. Yoga parses a large one in another tick. */
export function handOn(req: IncomingMessage, body: Buffer): IncomingMessage {
  return Object.assign(req, { body: Readable.from(body.length > smallBody ? later(body) : [body]) });
}

async function* later(body: Buffer): AsyncGenerator<Buffer> {
  await nextTick();
  yield body;
}

const json = 'application/json';

/** Returns the message for a client whose headers show that its body is no plain JSON; null where they do not. */
export function faultOfHead(headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>): string | null {
  if (!isJson(headers['content-type'])) return 'Send the query as application/json, in UTF-8.';
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? null : 'Send the query without a Content-Encoding.';
}

/** Whether a Content-Type names JSON in UTF-8 (RFC 9110, section 8.3). Case does not matter, and values may be quoted. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === json) return true;
  try {
    const { essence, params } = new MIMEType(contentType ?? '');
    return essence === json && isUtf8Name(params.get('charset'));
  } catch {
    return false;
  }
}

const byteOrderMark = '\uFEFF';

/**
 * Parses a body of JSON, which may begin with a byte order mark. Undefined where it is no JSON in UTF-8; no other encoding is
 * guessed. The message of a SyntaxError would quote the body, which may hold a secret.
 */
export function parseBody(body: Buffer): unknown {
  if (!isUtf8(body)) return undefined;
  const text = body.toString('utf8');
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch {
    return undefined;
  }
}

/** A text without the byte order mark that it may begin with, which JSON.parse refuses. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}
