import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse, Renderer, type Tokens } from 'marked';

/** A heading of a document. Its text is HTML without tags. */
export interface Heading {
  readonly depth: number;
  readonly anchor: string;
  readonly text: string;
}

const origin = 'http://gateway.invalid';
/** The origin of the gateway in documents. */
const documented = 'http://127.0.0.1:4000';
// `URL` writes every other form of these addresses as one of them.
const loopback = /^(?:127\.[\d.]+|\[::1\]|(?:.*\.)?localhost\.?)$/;

/**
 * Renders a document in GitHub's Markdown, part by part. Headings have the anchors that GitHub gives them. Links to documents that are not
 * `served` become text; pictures and comments are left out. HTML within the document is shown as text. Code has colours where codegen
 * has made them, and a query a link that opens it in GraphiQL. The origin that documents give to a gateway is marked, so that a script can
 * show that of this one.
 */
export class MarkdownDocument extends Renderer {
  /** Those of the parts that have been rendered. */
  readonly headings: Heading[] = [];
  readonly #path: string;
  readonly #served: readonly string[];
  readonly #anchors = new Map<string, number>();

  constructor(path: string, served: readonly string[]) {
    super();
    this.#path = path;
    this.#served = served;
  }

  render(part: string): string {
    const html = parse(part, { async: false, gfm: true, renderer: this });
    return html.replaceAll(documented, `<span data-origin>${documented}</span>`);
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer);
    const anchor = this.#anchorOf(text);
    this.headings.push({ depth, anchor, text: escapeHtml(text) });
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

  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    if (/^<(?:picture|img|!--)/.test(text)) return '';
    const shown = escapeHtml(text);
    return block ? `<p>${shown}</p>\n` : shown;
  }

  // What scrolls has to be within reach of the keyboard, with a name.
  override code({ text, lang = '' }: Tokens.Code): string {
    const name = lang === '' ? 'Code' : `Code: ${escapeHtml(lang)}`;
    return `<div class="code"><pre tabindex="0" role="group" aria-label="${name}"><code>${colour(text, lang)}</code></pre>${linkToGraphiql(text, lang)}</div>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0" role="group" aria-label="Table">${super.table(token)}</div>\n`;
  }

  /** Where a link of the document leads to as a page; null where that is not served, or is on the reader's own machine. */
  #targetOf(href: string): string | null {
    if (href.startsWith('#')) return href;
    const url = URL.parse(href, origin + this.#path);
    if (url === null) return null;
    if (url.origin === documented) return url.pathname.replace(/^\/+/, '/') + url.search;
    if (url.origin !== origin) return url.protocol === 'https:' && !loopback.test(url.hostname) ? url.href : null;
    return this.#served.includes(url.pathname) ? url.pathname + url.hash : null;
  }

  #anchorOf(text: string): string {
    const plain = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
    const anchor = plain.replaceAll(/\s/g, '-');
    const before = this.#anchors.get(anchor) ?? 0;
    this.#anchors.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  }
}

let coloured: Readonly<Record<string, string>> | null = null;

function colour(text: string, language: string): string {
  coloured ??= JSON.parse(
    readFileSync(new URL('../generated/code-blocks.json', import.meta.url), 'utf8'),
  ) as typeof coloured;
  return coloured?.[keyOfCode(text, language)] ?? escapeHtml(text);
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
