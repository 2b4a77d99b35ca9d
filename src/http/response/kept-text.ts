import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addVary, hasAlready } from './caching.ts';
import { createCodedText } from './coded-text.ts';
import type { ChooseCoding } from './content-coding.ts';

/** Sends a text as a media type without parameters, or 304 to a client that has it already. */
export type SendKeptText = (req: IncomingMessage, res: ServerResponse, mediaType: string) => Promise<void>;

/** Serves a text that never changes, whose media type and coding each client chooses, and which caches may keep as `cacheControl` says. */
export function createKeptText(text: Buffer, chooseCoding: ChooseCoding, cacheControl: string): SendKeptText {
  const coded = createCodedText(text, chooseCoding);
  const caching = {
    // Weak, since it names the bytes in every coding.
    etag: `W/"${createHash('sha256').update(text).digest('base64')}"`,
    'cache-control': cacheControl,
  };
  return async (req, res, mediaType) => {
    addVary(res, 'Accept, Accept-Encoding');
    if (hasAlready(req, caching.etag)) {
      res.writeHead(304, caching).end();
      return;
    }
    const { body, headers } = await coded(req);
    res.writeHead(200, { ...caching, 'content-type': `${mediaType}; charset=utf-8`, ...headers });
    res.end(body);
  };
}
