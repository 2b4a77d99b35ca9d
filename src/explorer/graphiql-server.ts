import { readOnly, type Endpoints, type Handler } from '../http/endpoint.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import { assetNames, versionOf, writeGraphiql } from './graphiql-page.ts';
import type { SiteContents } from './layout.ts';
import { createPage, once } from './page.ts';

/** The page of GraphiQL, and the endpoints of its files. */
export interface Graphiql {
  readonly page: Handler;
  readonly endpoints: Endpoints;
}

/** Serves GraphiQL. Its page and its files are written when somebody asks for one of them first. */
export function createGraphiql(contents: SiteContents, chooseCoding: ChooseCoding): Graphiql {
  const written = once(async () => {
    const { page, assets } = await writeGraphiql(contents);
    const kept = assets.map(({ name, text }) => [name, keepFile(text, chooseCoding)] as const);
    return { page, files: new Map(kept) };
  });
  const endpoints = assetNames.map((name): readonly [string, Handler] => [
    `/assets/${name}`,
    readOnly(async ({ req, res, url }) => {
      const file = (await written()).files.get(name);
      res.setHeader('content-security-policy', "default-src 'none'");
      // An address of another version, as of an old page, gets the file too, but keeps it no longer than this response.
      const send = url.search.slice(1) === file?.version ? file.sendForever : file?.sendOnce;
      return send?.(req, res, name.endsWith('.css') ? 'text/css' : 'text/javascript');
    }),
  ]);
  return {
    page: createPage(async () => (await written()).page, chooseCoding),
    endpoints: Object.fromEntries(endpoints),
  };
}

function keepFile(text: string, chooseCoding: ChooseCoding) {
  const bytes = Buffer.from(text);
  return {
    version: versionOf(text),
    sendForever: createKeptText(bytes, chooseCoding, 'public, max-age=31536000, immutable'),
    sendOnce: createKeptText(bytes, chooseCoding, 'no-cache'),
  };
}
