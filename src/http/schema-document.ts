import { sdlCacheSeconds } from '../bounds.ts';
import { readOnly, type Handler } from './endpoint.ts';
import { readAccept } from './request/media-types.ts';
import { type ChooseCoding, createKeptText } from './response/compression.ts';

/** Serves the schema in SDL to everybody, and lets caches keep it. A browser gets it as plain text, which it shows. */
export function createSchemaDocument(sdl: string, chooseCoding: ChooseCoding): Handler {
  const send = createKeptText(Buffer.from(sdl), chooseCoding, `public, max-age=${sdlCacheSeconds}`);
  return readOnly(({ req, res }) =>
    send(req, res, readAccept(req.headers.accept).takesPage ? 'text/plain' : 'application/graphql'),
  );
}
