import { createHash } from 'node:crypto';
import { sdlCacheSeconds } from '../bounds.ts';
import { readOnly, type Handler } from './endpoint.ts';
import { readAccept } from './request/media-types.ts';
import { addVary, hasAlready } from './response/caching.ts';
import { createCodedText } from './response/coded-text.ts';
import type { ChooseCoding } from './response/content-coding.ts';

/** Serves the schema in SDL to everybody, and lets caches keep it. A browser gets it as plain text, which it shows. */
export function createSchemaDocument(sdl: string, chooseCoding: ChooseCoding): Handler {
  const plain = Buffer.from(sdl);
  const coded = createCodedText(plain, chooseCoding);
  const caching = {
    // Weak, since it names the bytes in every coding.
    etag: `W/"${createHash('sha256').update(plain).digest('base64')}"`,
    'cache-control': `public, max-age=${sdlCacheSeconds}`,
  };

  return readOnly(async ({ req, res }) => {
    addVary(res, 'Accept, Accept-Encoding');
    if (hasAlready(req, caching.etag)) {
      res.writeHead(304, caching).end();
      return;
    }
    const { body, headers } = await coded(req);
    const type = readAccept(req.headers.accept).takesPage ? 'text/plain' : 'application/graphql';
    res.writeHead(200, { ...caching, 'content-type': `${type}; charset=utf-8`, ...headers });
    res.end(body);
  });
}
