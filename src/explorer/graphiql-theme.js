import { build } from './views.js';

/** A token as a scheme has it, in the form that Monaco takes. */
function tokenIn(scheme, name) {
  const probe = document.body.appendChild(build('i'));
  Object.assign(probe.style, { colorScheme: scheme, color: `var(--${name})` });
  const parts = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3);
  probe.remove();
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

// What Monaco calls the parts of a text, by the tokens that they have here.
const parts = {
  text: ['', 'key.identifier', 'delimiter', 'operator'],
  quiet: ['comment'],
  'code-keyword': ['keyword', 'annotation', 'string.key.json'],
  'code-string': ['string', 'string.quote', 'string.value.json'],
  'code-function': ['argument.identifier', 'type.identifier'],
  'code-constant': ['number', 'keyword.json'],
};
const grounds = ['editorWidget', 'editorHoverWidget', 'editorSuggestWidget', 'menu', 'quickInput', 'input'];
const chosen = ['list.hover', 'list.focus', 'editorSuggestWidget.selected', 'quickInputList.focus', 'menu.selection'];

/** A theme of Monaco in the tokens of a scheme. */
export function themeOf(scheme) {
  const token = (name) => tokenIn(scheme, name);
  const [text, quiet, accent, line] = ['text', 'quiet', 'accent', 'line'].map(token);
  const brackets = [1, 2, 3, 4, 5, 6].map((depth) => [`editorBracketHighlight.foreground${depth}`, quiet]);
  return {
    base: scheme === 'dark' ? 'vs-dark' : 'vs',
    inherit: true,
    rules: Object.entries(parts).flatMap(([name, kinds]) =>
      kinds.map((kind) => ({ token: kind, foreground: token(name).slice(1) })),
    ),
    colors: {
      foreground: text,
      focusBorder: accent,
      'editor.background': '#00000000',
      'editor.foreground': text,
      'editorCursor.foreground': accent,
      'editor.selectionBackground': `${accent}40`,
      'editorLineNumber.foreground': quiet,
      'editorLineNumber.activeForeground': text,
      'editorIndentGuide.background1': line,
      'editorWidget.border': line,
      'scrollbar.shadow': '#00000000',
      'textLink.foreground': accent,
      'list.highlightForeground': accent,
      'editorSuggestWidget.selectedForeground': text,
      ...Object.fromEntries(brackets),
      ...Object.fromEntries(grounds.map((name) => [`${name}.background`, token('card')])),
      ...Object.fromEntries(chosen.map((name) => [`${name}Background`, `${accent}26`])),
    },
  };
}
