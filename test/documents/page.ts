import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The project's root, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The text of a file of the project, by its path below the root. */
export const read = (path: string): string => readFileSync(root + path, 'utf8');

/** A fenced block of a page. */
export interface Block {
  /** The word behind the fence; empty where there is none. */
  readonly language: string;
  readonly text: string;
  /** The text in one line, comments left out. */
  readonly line: string;
}

/** A heading with what stands below it, up to the next heading of any level. */
export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A document of the project. */
export interface Page {
  /** Below the root, e.g. `docs/operations.md`. */
  readonly path: string;
  /** Everything but the fenced blocks. */
  readonly prose: string;
  readonly sections: readonly Section[];
}

const fence = /^```(\w*)\n([^]*?)^```$/gm;

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(fence)].map(([, language = '', body = '']) => {
    const line = body
      .replaceAll(/^(?:#|\/\/) .*$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    return { language, text: body, line };
  });
}

/** Reads a page; a line with a number sign within a block is no heading. */
export function readPage(path: string): Page {
  const text = read(path);
  const fences = [...text.matchAll(fence)].map(({ index, 0: block }) => [index, index + block.length] as const);
  const isCode = (at: number): boolean => fences.some(([from, to]) => at >= from && at < to);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].filter(({ index }) => !isCode(index));
  const sections = headings.map(({ index, 1: title = '' }, at) => ({
    title,
    blocks: blocksOf(text.slice(index, headings[at + 1]?.index)),
  }));
  return { path, prose: text.replaceAll(fence, ''), sections };
}

/** All pages of the project. */
export const pages: readonly Page[] = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'examples/*/*.md'], { cwd: root })
  .sort()
  .map(readPage);

/** The page of a path; throws where there is none. */
export function pageOf(path: string): Page {
  const page = pages.find((candidate) => candidate.path === path);
  if (page === undefined) throw new Error(`There is no page ${path}.`);
  return page;
}
