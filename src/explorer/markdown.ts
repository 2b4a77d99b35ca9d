import { readFileSync } from 'node:fs';
import { parse, Renderer, type Tokens } from 'marked';
import { guideFile, guidePaths, writeSitePage, type SitePlace } from './frame.ts';
import type { PageSource } from './page.ts';

/** Writes the page of a guide. */
export function writeGuide(
  path: string,
  { version, links }: { readonly version: string; readonly links: readonly SitePlace[] },
): PageSource {
  const markdown = readFileSync(guideFile(path), 'utf8');
  const { title, html } = renderMarkdown({ markdown, path, served: guidePaths(links) });
  return writeSitePage({
    title: `Switchboard: ${title}`,
    main: `<article class="guide">\n${html}</article>`,
    links,
    version,
    path,
  });
}

/** A document, and where it stands. */
interface GuideSource {
  readonly markdown: string;
  readonly path: string;
  /** The paths of the documents that its links may lead to. */
  readonly served: readonly string[];
}

interface RenderedMarkdown {
  /** HTML: the text of the first heading, without markup. */
  readonly title: string;
  readonly html: string;
}

/**
 * Renders a document in GitHub's Markdown. Headings have the anchors that GitHub gives them. Links to documents that are not served
 * and to the reader's own machine become text, and pictures their alternative text. HTML within the document is shown as text.
 */
export function renderMarkdown(source: GuideSource): RenderedMarkdown {
  const renderer = new DocumentRenderer(source);
  const html = parse(source.markdown, { async: false, gfm: true, renderer });
  return { title: renderer.title ?? '', html };
}

const origin = 'http://gateway.invalid';

class DocumentRenderer extends Renderer {
  title: string | null = null;
  readonly #source: GuideSource;
  readonly #anchors = new Map<string, number>();

  constructor(source: GuideSource) {
    super();
    this.#source = source;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer);
    this.title ??= escape(text);
    return `<h${depth} id="${this.#anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    const target = this.#targetOf(href);
    return target === null ? text : `<a href="${escape(target)}">${text}</a>`;
  }

  override image({ text }: Tokens.Image): string {
    return describePicture(escape(text));
  }

  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    const [, alternative] = /\balt="([^"]*)"/.exec(text) ?? [];
    const shown = alternative === undefined ? escape(text) : describePicture(escape(alternative));
    return block ? `<p>${shown}</p>\n` : shown;
  }

  // What scrolls has to be within reach of the keyboard, with a name.
  override code({ text, lang = '' }: Tokens.Code): string {
    const name = lang === '' ? 'Code' : `Code: ${escape(lang)}`;
    return `<pre tabindex="0" role="group" aria-label="${name}"><code>${escape(text)}</code></pre>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0" role="group" aria-label="Table">${super.table(token)}</div>\n`;
  }

  /** Where a link of the document leads to as a page; null where nothing is served. */
  #targetOf(href: string): string | null {
    const { path, served } = this.#source;
    if (href.startsWith('#')) return href;
    const url = URL.parse(href, origin + path);
    if (url === null) return null;
    if (url.origin !== origin) return isPublic(url) ? url.href : null;
    return served.includes(url.pathname) ? url.pathname + url.hash : null;
  }

  #anchorOf(text: string): string {
    const anchor = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const before = this.#anchors.get(anchor) ?? 0;
    this.#anchors.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  }
}

// `URL` writes every other form of these addresses as one of them.
const loopback = /^(?:127\.[\d.]+|\[::1\]|(?:.*\.)?localhost\.?)$/;

/** Whether an address is the same for every reader: loopback names the machine of each. */
function isPublic({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && !loopback.test(hostname);
}

function describePicture(text: string): string {
  return `<span class="quiet">Picture: ${text}</span>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
