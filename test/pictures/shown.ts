import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from '../../src/telemetry/log.ts';
import { hash } from './manifest.ts';
import type { PageName } from './recipes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const recipe = ['test/pictures/recipes.ts'];

/**
 * Hashes what each picture shows, without a browser, for fonts, durations and rounding differ from machine to machine: the page as
 * it is served with the data in it, or the sources of a page that is built.
 */
export async function hashShown(url: string): Promise<Readonly<Record<PageName, string>>> {
  const page = async (path: string): Promise<string> =>
    (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
  const [home, graphiql, voyager] = await Promise.all([page('/'), page('/graphql'), page('/voyager')]);
  const [first, explained] = await Promise.all([
    ask(url, textWithin(home, '<textarea id="query"', '</textarea>')),
    ask(url, operationOf('explorer/examples/lists.graphql', 'Relations')),
  ]);
  const steps = readSources(recipe);
  const styles = readSources(['src/explorer/browser/site.css']);
  return {
    home: hashAll(steps, styles, readSources(['src/explorer/browser/home.js']), home, first),
    graphiql: hashAll(steps, graphiql, explained),
    voyager: hashAll(steps, styles, readSources(['src/explorer/browser/schema.js']), voyager),
  };
}

/** A release changes no picture worth mentioning, nor does a file of another page. */
function hashAll(...texts: readonly string[]): string {
  return hash(
    JSON.stringify(texts)
      .replaceAll(version, '')
      .replaceAll(/\/assets\/[0-9a-f]{12}\//g, ''),
  );
}

/** One of the operations of a file. */
function operationOf(path: string, name: string): string {
  const operations = readFileSync(root + path, 'utf8').split(/\n\n(?=#)/);
  return operations.find((text) => text.includes(`query ${name}`)) ?? '';
}

/** The texts of all files of the patterns, with their names, in one order and with one kind of line ends on every system. */
function readSources(patterns: readonly string[]): string {
  const paths = globSync([...patterns], { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return paths
    .sort()
    .map((path) => readFileSync(root + path, 'utf8').replaceAll('\r\n', '\n'))
    .join('\n');
}

/** The data of an answer as JSON. */
async function ask(url: string, query: string): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-key' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { readonly data?: unknown; readonly errors?: unknown };
  if (errors !== undefined) throw new Error(`A query of the pictures fails: ${JSON.stringify(errors)}`);
  return JSON.stringify(data);
}

function textWithin(html: string, start: string, end: string): string {
  const [, after = ''] = html.split(start);
  return after.slice(after.indexOf('>') + 1, after.indexOf(end));
}
