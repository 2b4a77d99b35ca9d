import { useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';

/** The themes of the editors, for GraphiQL's `editorTheme`. */
export const editorTheme = { light: 'switchboard-light', dark: 'switchboard-dark' };

// Those of Monaco, in colours that are told from their ground, which is that of the page.
const ground = { 'editor.background': '#00000000', 'scrollbar.shadow': '#00000000' };
const themes = {
  light: {
    base: 'vs',
    inherit: true,
    rules: [
      { token: 'annotation', foreground: '5f5f5f' },
      { token: 'number', foreground: '066042' },
      { token: 'comment', foreground: '006a00' },
      { token: 'argument.identifier.gql', foreground: '4a47ad' },
    ],
    colors: { ...ground, 'editorLineNumber.foreground': '#1f6b80' },
  },
  dark: {
    base: 'vs-dark',
    inherit: true,
    rules: [
      { token: 'annotation', foreground: 'c8c8c8' },
      { token: 'comment', foreground: '8fc27a' },
      { token: 'argument.identifier.gql', foreground: 'b3b0ff' },
      { token: 'keyword', foreground: '7fb8ec' },
      { token: 'string.key.json', foreground: '9cdcfe' },
    ],
    colors: { ...ground, 'editorLineNumber.foreground': '#a3adbd' },
  },
} as const;

/** A hook: gives the editors their themes, and follows the system where nobody has chosen a theme. */
export function useEditorThemes(): void {
  const monaco = useMonaco((state) => state.monaco);
  const theme = useGraphiQL((state) => state.theme);
  const actions = useGraphiQLActions();
  useEffect(() => {
    if (monaco === undefined) return undefined;
    monaco.editor.defineTheme(editorTheme.light, { ...themes.light, rules: [...themes.light.rules] });
    monaco.editor.defineTheme(editorTheme.dark, { ...themes.dark, rules: [...themes.dark.rules] });
    const apply = (): void => actions.setTheme(theme);
    apply();
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [monaco, theme, actions]);
}
