/** A line of a terminal; `pauseMs` is for how long nothing happens before it. */
export interface TerminalLine {
  readonly kind: 'comment' | 'command' | 'output' | 'quiet' | 'error';
  readonly text: string;
  readonly pauseMs: number;
}

export interface TerminalOptions {
  /** Whether all lines stand there at once. */
  readonly isStill: boolean;
  readonly title: string;
  readonly description: string;
}

const rowHeight = 20;
const margin = 20;
const width = 900;
/** For how long the last line stands before it begins anew. */
const restMs = 6_000;

/**
 * Writes a terminal as an SVG that shows its lines one after the other, again and again. It has no script and loads nothing. It stands
 * still for those who want no motion; browsers do not ask for that within an image, so pages have a still one for them.
 */
export function writeTerminal(
  lines: readonly TerminalLine[],
  { isStill, title, description }: TerminalOptions,
): string {
  const starts = lines.map((_, at) => lines.slice(0, at + 1).reduce((total, { pauseMs }) => total + pauseMs, 0));
  const lengthMs = (starts.at(-1) ?? 0) + restMs;
  const moments = isStill ? [] : [...new Set(starts)].filter((start) => start > 0);
  const height = lines.length * rowHeight + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${escape(title)}</title>
<desc id="description">${escape(description)}</desc>
<style>
  text { font: 13px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre }
  .frame { fill: #f6f8fa; stroke: #d0d7de }
  .comment { fill: #57606a; font-style: italic } .command { fill: #0550ae; font-weight: 600 } .output { fill: #1f2328 }
  .quiet { fill: #656d76 } .error { fill: #a40e26 }
  @media (prefers-color-scheme: dark) {
    .frame { fill: #0d1117; stroke: #30363d }
    .comment { fill: #9198a1 } .command { fill: #79c0ff } .output { fill: #e6edf3 } .quiet { fill: #8b949e } .error { fill: #ff9492 }
  }
  @media (prefers-reduced-motion: no-preference) {
${moments.map((start) => `    .at${start} { animation: at${start} ${lengthMs}ms step-end infinite }`).join('\n')}
  }
${moments.map((start) => `  @keyframes at${start} { 0% { opacity: 0 } ${share(start, lengthMs)}% { opacity: 1 } }`).join('\n')}
</style>
<rect class="frame" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${lines.map(({ kind, text }, at) => writeLine(kind, text, at, isStill ? 0 : (starts[at] ?? 0))).join('\n')}
</svg>
`;
}

function writeLine(kind: TerminalLine['kind'], text: string, at: number, start: number): string {
  const classes = start > 0 ? `${kind} at${start}` : kind;
  return `<text class="${classes}" x="${margin}" y="${margin + at * rowHeight + 14}">${escape(text)}</text>`;
}

function share(start: number, lengthMs: number): string {
  return ((start / lengthMs) * 100).toFixed(2);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
