import { createHash } from 'node:crypto';
import { sdlCacheSeconds } from '../bounds.ts';
import { readOnly, type Handler } from './endpoint.ts';
import { readAccept } from './request/media-types.ts';
import { addVary, hasAlready } from './response/caching.ts';
import { compress } from './response/compression.ts';
import type { ChooseCoding, Coding } from './response/content-coding.ts';

/** Serves the schema in SDL to everybody, and lets caches keep it. A browser gets it as plain text, which it shows. */
export function createSchemaDocument(sdl: string, chooseCoding: ChooseCoding): Handler {
  const plain = Buffer.from(sdl);
  const compressed = new Map<Coding, Promise<Buffer>>();
  const caching = {
    // Weak, since it names the bytes in every coding.
    etag: `W/"${createHash('sha256').update(plain).digest('base64')}"`,
    'cache-control': `public, max-age=${sdlCacheSeconds}`,
  };

  /** All requests share the bytes of a coding. */
  function bodyIn(coding: Coding): Promise<Buffer> {
    const body = compressed.get(coding) ?? compress(coding, plain);
    compressed.set(coding, body);
    return body;
  }

  return readOnly(async ({ req, res }) => {
    addVary(res, 'Accept, Accept-Encoding');
    if (hasAlready(req, caching.etag)) {
      res.writeHead(304, caching).end();
      return;
    }
    const coding = chooseCoding(req);
    const body = coding === null ? plain : await bodyIn(coding);
    const type = readAccept(req.headers.accept).takesPage ? 'text/plain' : 'application/graphql';
    res.writeHead(200, {
      ...caching,
      'content-type': `${type}; charset=utf-8`,
      'content-length': body.length,
      ...(coding !== null && { 'content-encoding': coding }),
    });
    res.end(body);
  });
}
