import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { MIMEType } from 'node:util';
import { smallBody } from '../../bounds.ts';
import { isUtf8Name } from './media-types.ts';

/** The request with a body that has been read already, as Yoga takes it: one that is not small in another tick, to be parsed again. */
export function handOn(req: IncomingMessage, body: Buffer): IncomingMessage {
  return Object.assign(req, { body: Readable.from(body.length > smallBody ? later(body) : [body]) });
}

async function* later(body: Buffer): AsyncGenerator<Buffer> {
  await nextTick();
  yield body;
}

const json = 'application/json';

/** Why a body cannot be read as JSON, for its client; null where its head does not tell. */
export function faultOfHead(headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>): string | null {
  if (!isJson(headers['content-type'])) return 'A query is sent as application/json, in UTF-8.';
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? null : 'A query is sent without a Content-Encoding.';
}

/** Whether a body is JSON in UTF-8 by its Content-Type (RFC 9110, section 8.3): names have no case, a quoted value is a value. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === json) return true;
  try {
    const { essence, params } = new MIMEType(contentType ?? '');
    return essence === json && isUtf8Name(params.get('charset'));
  } catch {
    return false;
  }
}

const byteOrderMark = '\uFEFF';

/** The text of a body, without a byte order mark; null where it is no UTF-8, which nobody may read as something else. */
export function textOf(body: Buffer): string | null {
  if (!isUtf8(body)) return null;
  const text = body.toString('utf8');
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}
