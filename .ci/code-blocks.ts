import { readFileSync } from 'node:fs';
import { lexer } from 'marked';
import { escapeHtml, keyOfCode } from '../src/explorer/markdown.ts';

interface Token {
  readonly content: string;
  /** As the theme below has it, `var(--code-string)`. */
  readonly color?: string;
}

/** What is used of shiki, whose grammars are those of VS Code. */
export interface Shiki {
  readonly codeToTokens: (
    text: string,
    options: { readonly lang: string; readonly theme: object; readonly tokenizeTimeLimit: number },
  ) => Promise<{ readonly tokens: readonly (readonly Token[])[] }>;
  readonly createCssVariablesTheme: (options: {
    readonly variablePrefix: string;
    readonly fontStyle: boolean;
  }) => object;
}

/** The classes of coloured code, for which `site.css` has colours; what has none of them stays as it is. */
const classes: Readonly<Record<string, string>> = {
  'var(--token-keyword)': 'keyword',
  'var(--token-string)': 'string',
  'var(--token-string-expression)': 'string',
  'var(--token-function)': 'function',
  'var(--token-constant)': 'constant',
  'var(--token-comment)': 'comment',
};

function writeToken({ content, color = '' }: Token): string {
  const className = classes[color];
  return className === undefined ? escapeHtml(content) : `<span class="${className}">${escapeHtml(content)}</span>`;
}

/** Colours the code of all guides, as JSON: HTML by the key of the code. */
export async function colourCode({ codeToTokens, createCssVariablesTheme }: Shiki): Promise<string> {
  const theme = createCssVariablesTheme({ variablePrefix: '--', fontStyle: false });
  const coloured: Record<string, string> = {};
  for (const [, name = ''] of readFileSync('docs/README.md', 'utf8').matchAll(/\]\(([\w/-]+\.md)\)/g)) {
    for (const block of lexer(readFileSync(`docs/${name}`, 'utf8'))) {
      if (block.type !== 'code' || !block.lang) continue;
      const { text, lang } = block as { text: string; lang: string };
      // A line that took longer than half a second would stay as it is: what a busy machine writes would differ.
      const { tokens } = await codeToTokens(text, { lang, theme, tokenizeTimeLimit: 0 });
      coloured[keyOfCode(text, lang)] = tokens.map((line) => line.map(writeToken).join('')).join('\n');
    }
  }
  return `${JSON.stringify(coloured, null, 1)}\n`;
}
