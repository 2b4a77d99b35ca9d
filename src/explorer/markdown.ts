import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lexer, parser, Renderer, walkTokens, type Token, type Tokens } from 'marked';

/** A heading of a document, and what stands below it, as plain text. */
export interface Section {
  readonly depth: number;
  readonly anchor: string;
  readonly title: string;
  text: string;
}

export interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
}

const origin = 'http://gateway.invalid';
/** The origin of the gateway in documents. */
const documented = 'http://127.0.0.1:4000';

/**
 * Renders a document in GitHub's Markdown. Headings have the anchors that GitHub gives them. Links to documents that are not `served`
 * become text; pictures and HTML are left out. Code has colours where codegen has made them, and a query a link that opens it in GraphiQL.
 * The origin that documents give to a gateway is marked, so that a script can show that of this one.
 */
export function renderMarkdown(markdown: string, path: string, served: readonly string[]): Rendered {
  const sections: Section[] = [];
  const anchors = new Map<string, number>();
  const heading = (title: string, depth: number): string => {
    const plain = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const before = anchors.get(plain) ?? 0;
    anchors.set(plain, before + 1);
    const anchor = before === 0 ? plain : `${plain}-${before}`;
    sections.push({ depth, anchor, title, text: '' });
    return anchor;
  };
  const renderer = new GuideRenderer(heading, (href) => targetOf(href, path, served));
  let html = '';
  for (const token of lexer(markdown)) {
    html += parser([token], { renderer });
    const section = sections.at(-1);
    if (section !== undefined && token.type !== 'heading') section.text = `${section.text} ${textOf(token)}`.trim();
  }
  return { html: html.replaceAll(documented, `<span data-origin>${documented}</span>`), sections };
}

/** Where a link of a document leads to as a page; null where that is not served. */
function targetOf(href: string, path: string, served: readonly string[]): string | null {
  if (href.startsWith('#')) return href;
  const url = URL.parse(href, origin + path);
  if (url === null) return null;
  if (url.origin === documented) return url.pathname.replace(/^\/+/, '/') + url.search;
  if (url.origin !== origin) return url.protocol === 'https:' ? url.href : null;
  return served.includes(url.pathname) ? url.pathname + url.hash : null;
}

/** What a block says, in one line. */
function textOf(block: Token): string {
  const texts: string[] = [];
  void walkTokens([block], (token) => {
    if ('text' in token && !('tokens' in token) && token.type !== 'html') texts.push(token.text);
  });
  return texts.join(' ').replaceAll(/\s+(?=[,.;:)]|\s|$)/g, '');
}

class GuideRenderer extends Renderer {
  readonly #anchorOf: (title: string, depth: number) => string;
  readonly #targetOf: (href: string) => string | null;

  constructor(anchorOf: (title: string, depth: number) => string, toTarget: (href: string) => string | null) {
    super();
    this.#anchorOf = anchorOf;
    this.#targetOf = toTarget;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const anchor = this.#anchorOf(this.parser.parseInline(tokens, this.parser.textRenderer), depth);
    return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    const target = this.#targetOf(href);
    return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
  }

  override image(): string {
    return '';
  }

  override html(): string {
    return '';
  }

  // What scrolls has to be within reach of the keyboard, with a name.
  override code({ text, lang = '' }: Tokens.Code): string {
    const name = lang === '' ? 'Code' : `Code: ${escapeHtml(lang)}`;
    return `<div class="code"><pre tabindex="0" role="group" aria-label="${name}"><code>${colour(text, lang)}</code></pre>${linkToGraphiql(text, lang)}<button type="button">Copy</button></div>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0" role="group" aria-label="Table">${super.table(token)}</div>\n`;
  }
}

const colours = new URL('../generated/code-blocks.json', import.meta.url);
let coloured: Readonly<Record<string, string>> | null = null;

function colour(text: string, language: string): string {
  coloured ??= JSON.parse(readFileSync(colours, 'utf8')) as Record<string, string>;
  return coloured[keyOfCode(text, language)] ?? escapeHtml(text);
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
