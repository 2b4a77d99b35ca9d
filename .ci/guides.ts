import { readFileSync } from 'node:fs';
import { Marked, Renderer, walkTokens, type Token } from 'marked';

/** A heading of a document, and what stands below it, as plain text. */
interface Section {
  readonly depth: number;
  readonly anchor: string;
  readonly title: string;
  text: string;
}

interface CodeToken {
  readonly content: string;
  /** As the theme below has it, `var(--token-string)`. */
  readonly color?: string;
}

interface Highlighter {
  readonly codeToTokens: (
    text: string,
    options: { readonly lang: string; readonly theme: string; readonly tokenizeTimeLimit: number },
  ) => { readonly tokens: readonly (readonly CodeToken[])[] };
}

/** What is used of shiki, whose grammars are those of VS Code. */
export interface Shiki {
  readonly createHighlighter: (options: {
    readonly langs: readonly string[];
    readonly themes: readonly object[];
  }) => Promise<Highlighter>;
  readonly createCssVariablesTheme: (options: { readonly name: string; readonly fontStyle: boolean }) => object;
}

/** Writes a block of code in a language as HTML. */
type WriteCode = (text: string, language: string) => string;

/**
 * Renders all documents for users, as JSON for `src/explorer/site.ts`: `docs/README.md` lists them below the heading of each group.
 * Code is coloured by shiki.
 */
export async function renderGuides({ createHighlighter, createCssVariablesTheme }: Shiki): Promise<string> {
  const read = (path: string): string => readFileSync(path, 'utf8');
  const [, ...groups] = read('docs/README.md').split(/^## /m);
  const listed = groups.flatMap((text) =>
    [...text.matchAll(/^- \[(.*?)\]\((.*?)\): (.*)$/gm)].map(([, name = '', path = '', about = '']) => ({
      group: text.slice(0, text.indexOf('\n')),
      path: `/docs/${path}`,
      name,
      about: about.replaceAll('`', ''),
      markdown: read(`docs/${path}`),
    })),
  );
  const langs = new Set(
    listed.flatMap(({ markdown }) => [...markdown.matchAll(/^```(\w+)/gm)].map(([, name = '']) => name)),
  );
  const theme = createCssVariablesTheme({ name: 'classes', fontStyle: false });
  const { codeToTokens } = await createHighlighter({ langs: [...langs], themes: [theme] });
  const colour: WriteCode = (text, lang) => {
    if (lang === '') return escapeHtml(text);
    // A line that took longer than half a second would stay as it is: what a busy machine writes would differ.
    const { tokens } = codeToTokens(text, { lang, theme: 'classes', tokenizeTimeLimit: 0 });
    return tokens.map((line) => line.map(writeToken).join('')).join('\n');
  };
  const served = listed.map(({ path }) => path);
  const guides = listed.map(({ markdown, ...guide }) => ({
    ...guide,
    ...renderMarkdown(markdown, guide.path, served, colour),
  }));
  return `${JSON.stringify(guides, null, 1)}\n`;
}

/** The classes of coloured code, for which `site.css` has colours; what has none of them stays as it is. */
const classes: Readonly<Record<string, string>> = {
  'var(--shiki-token-keyword)': 'keyword',
  'var(--shiki-token-string)': 'string',
  'var(--shiki-token-string-expression)': 'string',
  'var(--shiki-token-function)': 'function',
  'var(--shiki-token-comment)': 'comment',
};

function writeToken({ content, color = '' }: CodeToken): string {
  const className = classes[color];
  return className === undefined ? escapeHtml(content) : `<span class="${className}">${escapeHtml(content)}</span>`;
}

const origin = 'http://gateway.invalid';
/** The origin of the gateway in documents. */
const documented = 'http://127.0.0.1:4000';

/**
 * Renders a document in GitHub's Markdown. Headings have the anchors that GitHub gives them. Links to documents that are not `served`
 * become text; pictures and HTML are left out. A query has a link that opens it in GraphiQL. The origin that documents give to a gateway is
 * marked, so that a script can show that of this one. `headings` are links to those of the second level.
 */
export function renderMarkdown(
  markdown: string,
  path: string,
  served: readonly string[],
  writeCode: WriteCode = escapeHtml,
) {
  const sections: Section[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer);
        const name = nameOf(title);
        const before = sections.filter((section) => nameOf(section.title) === name).length;
        const anchor = before === 0 ? name : `${name}-${before}`;
        sections.push({ depth, anchor, title, text: '' });
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href, path, served);
        return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image: () => '',
      html: () => '',
      // What scrolls has to be within reach of the keyboard, with a name.
      code({ text, lang = '' }) {
        const name = lang === '' ? 'Code' : `Code: ${escapeHtml(lang)}`;
        return `<div class="code"><pre tabindex="0" role="group" aria-label="${name}"><code>${writeCode(text, lang)}</code></pre>${linkToGraphiql(text, lang)}<button type="button">Copy</button></div>\n`;
      },
      table(token) {
        return `<div class="table" tabindex="0" role="group" aria-label="Table">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
  });
  let html = '';
  for (const token of marked.lexer(markdown)) {
    html += marked.parser([token]);
    const section = sections.at(-1);
    if (section !== undefined && token.type !== 'heading') section.text = `${section.text} ${textOf(token)}`.trim();
  }
  const headings = sections
    .filter(({ depth }) => depth === 2)
    .map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`)
    .join('');
  html = html.replaceAll(documented, `<span data-origin>${documented}</span>`);
  return { html, headings, sections: sections.map(({ anchor, title, text }) => ({ anchor, title, text })) };
}

/** The anchor of a heading, as long as none before reads alike. */
function nameOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, (sign) => (sign.trim() === '' ? '-' : ''));
}

/** Where a link of a document leads to as a page; null where that is not served. */
function targetOf(href: string, path: string, served: readonly string[]): string | null {
  if (href.startsWith('#')) return href;
  const url = URL.parse(href, origin + path);
  if (url?.origin === documented) return url.pathname.replace(/^\/+/, '/') + url.search;
  if (url?.origin === origin) return served.includes(url.pathname) ? url.pathname + url.hash : null;
  return url?.protocol === 'https:' ? url.href : null;
}

/** What a block says, in one line. */
function textOf(block: Token): string {
  const texts: string[] = [];
  void walkTokens([block], (token) => {
    if ('text' in token && !('tokens' in token) && token.type !== 'html') texts.push(token.text);
  });
  return texts.join(' ').replaceAll(/\s+(?=[,.;:)]|\s|$)/g, '');
}

/**
 * A link that opens the query of a block of code: of one in GraphQL, of a shell command of the client guide, or of a document in
 * TypeScript. It is empty for other blocks.
 */
function linkToGraphiql(text: string, language: string): string {
  const [, written] = /\bask 'query=([^']*)'/.exec(text) ?? /\bgraphql\(`\n([^`$]*)`\)/.exec(text) ?? [];
  const query = language === 'graphql' ? text : written;
  if (query === undefined) return '';
  const [, key] = /^KEY=([\w-]+)/m.exec(text) ?? [];
  return `<a href="/graphql?query=${encodeURIComponent(query)}">Run in GraphiQL${key === undefined ? '' : ` with the key ${key}`}</a>`;
}

/** Writes a text so that it stands as itself in HTML, in attributes too. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
