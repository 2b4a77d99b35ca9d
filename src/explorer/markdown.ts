import { createHash } from 'node:crypto';
import { Marked, Renderer, walkTokens, type Token } from 'marked';
import coloured from '../generated/code-blocks.json' with { type: 'json' };

/** A heading of a document, and what stands below it, as plain text. */
export interface Section {
  readonly depth: number;
  readonly anchor: string;
  readonly title: string;
  text: string;
}

export type Rendered = ReturnType<typeof renderMarkdown>;

const origin = 'http://gateway.invalid';
/** The origin of the gateway in documents. */
const documented = 'http://127.0.0.1:4000';

/**
 * Renders a document in GitHub's Markdown. Headings have the anchors that GitHub gives them. Links to documents that are not `served`
 * become text; pictures and HTML are left out. Code has colours where codegen has made them, and a query a link that opens it in GraphiQL.
 * The origin that documents give to a gateway is marked, so that a script can show that of this one.
 */
export function renderMarkdown(markdown: string, path: string, served: readonly string[]) {
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
        return `<div class="code"><pre tabindex="0" role="group" aria-label="${name}"><code>${colour(text, lang)}</code></pre>${linkToGraphiql(text, lang)}<button type="button">Copy</button></div>\n`;
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
  return { html: html.replaceAll(documented, `<span data-origin>${documented}</span>`), sections };
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

function colour(text: string, language: string): string {
  return (coloured as Readonly<Record<string, string>>)[keyOfCode(text, language)] ?? escapeHtml(text);
}

/** The name of a block of code in `src/generated/code-blocks.json`. */
export function keyOfCode(text: string, language: string): string {
  return createHash('sha256').update(`${language}\n${text}`).digest('base64url').slice(0, 12);
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
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
