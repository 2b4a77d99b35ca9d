import { useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';

/** The themes of the editors, for GraphiQL's `editorTheme`. */
export const editorTheme = { light: 'switchboard-light', dark: 'switchboard-dark' };

// Those of Monaco, in colours that are told from their ground, which is that of the page.
const argument = 'argument.identifier.gql';
const light = { annotation: '5f5f5f', number: '066042', comment: '006a00', [argument]: '4a47ad' };
const json = { 'string.key.json': '9cdcfe' };
const dark = { annotation: 'c8c8c8', comment: '8fc27a', keyword: '7fb8ec', [argument]: 'b3b0ff', ...json };

/** A hook: gives the editors their themes. */
export function useEditorThemes(): void {
  const monaco = useMonaco((state) => state.monaco);
  const theme = useGraphiQL((state) => state.theme);
  const actions = useGraphiQLActions();
  useEffect(() => {
    for (const [name, base, tokens, numbers] of [
      [editorTheme.light, 'vs', light, '#1f6b80'],
      [editorTheme.dark, 'vs-dark', dark, '#a3adbd'],
    ] as const) {
      const rules = Object.entries(tokens).map(([token, foreground]) => ({ token, foreground }));
      const ground = { 'editor.background': '#00000000', 'scrollbar.shadow': '#00000000' };
      const colors = { ...ground, 'editorLineNumber.foreground': numbers };
      monaco?.editor.defineTheme(name, { base, inherit: true, rules, colors });
    }
    actions.setTheme(theme);
  }, [monaco, theme, actions]);
}
