import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { writeReference } from '../../.ci/reference.ts';
import { filledPage, pagesWithResults, readResults } from '../../bench/results.ts';
import { limits, readConfig } from '../../src/config.ts';
import { describe, expect, test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { pageOf, pages, read, root, type Page } from './page.ts';

/** The rows of the tables of a page, each as the texts of its cells; a heading of a table is a row as well. */
function rowsOf({ prose }: Page): readonly (readonly string[])[] {
  const lines = prose.split('\n').filter((line) => /^\|(?! -)/.test(line));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** The code words of a pattern in the first cells of a page's tables, with the cells beside them. */
function namedRows(path: string, pattern: RegExp): ReadonlyMap<string, readonly string[]> {
  return new Map(
    rowsOf(pageOf(path)).flatMap(([names = '', ...rest]) =>
      names.split(', ').flatMap((name) => {
        const [, word] = /^`([^`]+)`$/.exec(name) ?? [];
        return word !== undefined && pattern.test(word) ? [[word, rest] as const] : [];
      }),
    ),
  );
}

/** The anchor that a heading has on GitHub. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Names of files that do not exist here: those of an example, and those that a command of a page makes. */
const fictions = [
  'voice-profile',
  'src/App.tsx',
  'src/documents.ts',
  'src/generated',
  'test/screenshots/',
  'test/node_modules',
];

describe.for(pages.map((page) => ({ path: page.path, page })))('$path', ({ path, page }) => {
  const folder = dirname(path);

  test('links to pages and headings that exist', () => {
    const targets = [...page.prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const lost = targets.filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? path : join(folder, file);
      if (!existsSync(root + found)) return true;
      return anchor !== undefined && !pageOf(found).sections.some(({ title }) => anchorOf(title) === anchor);
    });
    expect(lost).toEqual([]);
  });

  test('names only files of the project that exist', () => {
    const names = [...page.prose.matchAll(/`((?:src|test|schema|docs|bench|examples|\.ci)\/[\w./-]*)`/g)];
    const lost = names
      .map(([, name = '']) => name)
      .filter((name) => !fictions.some((fiction) => name.includes(fiction)))
      .filter((name) => !existsSync(root + name) && !existsSync(join(root, folder, name)));
    expect(lost).toEqual([]);
  });
});

test('README.md has at most 110 lines', () => {
  expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(110);
});

test('README.md and docs/ have at most 14,000 words', () => {
  const texts = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].map(read);
  expect(texts.flatMap((text) => text.match(/\S*\w\S*/g) ?? []).length).toBeLessThanOrEqual(14_000);
});

test.for(pagesWithResults)('the figures of %s are those of bench/results.json', (path) => {
  const page = read(path);
  expect(filledPage(page, readResults())).toBe(page);
});

describe('docs/reference/settings.md', () => {
  const variables = namedRows('docs/reference/settings.md', /^(?:[A-Z_]+|[a-z]+_proxy)$/);

  test('has each variable that is read, and no other', () => {
    // OpenTelemetry's packages read these.
    const seen = new Set([
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
      'OTEL_SERVICE_NAME',
      'OTEL_RESOURCE_ATTRIBUTES',
    ]);
    // Most variables of traces are read where there is a collector alone.
    const given: Readonly<Record<string, string>> = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
    const env = new Proxy<Record<string, string>>(
      {},
      { get: (_, name) => (seen.add(String(name)), given[String(name)]) },
    );
    readConfig(env);
    expect([...variables.keys()].sort()).toEqual([...seen].sort());
  });

  test.for(Object.values(limits))(
    'has the default and the bounds of $variable',
    ({ variable, fallback, least, most }) => {
      const [shown, meaning] = variables.get(variable) ?? [];
      expect(shown).toBe(`\`${fallback}\``);
      expect(meaning).toContain(`${least} to ${most}`);
    },
  );

  test('has only endpoints that exist', async ({ startWith, upstream }) => {
    const issuers = 'https://login.example.com';
    const gateway = await startWith({ PUBLIC_URL: 'https://example.com', AUTHORIZATION_SERVERS: issuers });
    upstream.script(() => ({ status: 403, json: {} }));
    const rows = rowsOf(pageOf('docs/reference/endpoints.md')).flatMap(([name = '']) => [
      ...name.matchAll(/`GET (\/[^`]*)`/g),
    ]);
    expect(rows.length).toBeGreaterThan(6);
    for (const [, path = ''] of rows) expect([path, (await gateway.fetch(path)).status]).not.toEqual([path, 404]);
  });
});

test('docs/reference/errors.md has each code of fields, and whether it is retryable', () => {
  const sometimes = new Map([
    ['UPSTREAM_ERROR', 'true for a 5xx or a moving list, else false'],
    ['UPSTREAM_UNAVAILABLE', 'true, but for a refused certificate'],
  ]);
  const catalogue = [
    ...read('src/errors.ts').matchAll(/^ {2}([A-Z_]+): \{\s*status: \d+,\s*retryable: (true|false)/gm),
  ].map(([, code = '', retryable = '']) => [code, sometimes.get(code) ?? retryable]);
  const shown = [...read('docs/reference/errors.md').matchAll(/^### ([A-Z_]+)\n\n`retryable: (.+?)`/gm)];
  expect(shown.map(([, code, retryable]) => [code, retryable])).toEqual(catalogue);
});

test('docs/reference/errors.md has each code of a refused request', () => {
  const codes = globSync('src/http/**/*.ts', { cwd: root }).flatMap((path) => [
    ...read(path).matchAll(/'((?:GRAPHQL|OPERATION|PERSISTED_QUERY|INTROSPECTION|BAD_REQUEST)[A-Z_]*)'/g),
  ]);
  const shown = new Set(pageOf('docs/reference/errors.md').sections.map(({ title }) => title));
  expect(codes.map(([, code = '']) => code).filter((code) => !shown.has(code))).toEqual([]);
});

test.for(Object.entries(await writeReference()))('%s is what codegen makes of the sources', ([path, text]) => {
  expect(read(path)).toBe(text);
});

describe('docs/operations.md', () => {
  const page = pageOf('docs/operations.md');

  test('names only metrics that exist', async ({ startWith }) => {
    const gateway = await startWith({}, { watchesProcess: true });
    const metrics = await (await gateway.fetch('/metrics')).text();
    const names = [...page.prose.matchAll(/\b((?:switchboard|nodejs|process)_\w+)/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !metrics.includes(`# TYPE ${name.replace(/_bucket$/, '')} `))).toEqual([]);
  });

  test('shows a line of the log with the members that it has', async ({ startWith, upstream }) => {
    upstream.script((request) => pageReply([1], request));
    const gateway = await startWith({ LOG_LEVEL: 'info' });
    const headers = { 'apollographql-client-name': 'dashboard', 'apollographql-client-version': '1.4.0' };
    await gateway.query('query Missions { missions { totalCount } }', { headers });
    await expect.poll(() => gateway.log).toHaveLength(1);
    const block = page.sections.flatMap(({ blocks }) => blocks).find(({ language }) => language === 'json');
    const shown = JSON.parse(block?.text ?? '{}');
    const logged = JSON.parse(gateway.log[0] ?? '{}');
    expect(Object.keys(logged)).toEqual(Object.keys(shown));
    expect(logged).toMatchObject({ endpoint: shown.endpoint, operationName: shown.operationName, upstreamCalls: 1 });
  });
});
