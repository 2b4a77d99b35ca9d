import { isFloor, loadQueries } from '../queries.ts';
import { variedQueries } from '../varied-queries.ts';
import type { LoadFigures } from '../suites/load-figures.ts';
import type { Machine } from './machine.ts';
import type { Results } from './results.ts';
import { timesOf } from './times.ts';

const width = 860;
const left = 118;
const right = 64;
const bar = { height: 15, pitch: 19 };
const top = 98;
const groupGap = 40;
// Longer bars are cut, so that the short ones can be compared.
const most = 10;

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

/** For pages with a light or a dark ground. */
export type Scheme = 'light' | 'dark';

const colours: Readonly<Record<Scheme, Readonly<Record<'text' | 'small' | 'bar' | 'ours' | 'ground', string>>>> = {
  light: { text: '#24292f', small: '#57606a', bar: '#8c959f', ours: '#0969da', ground: '#ffffff' },
  dark: { text: '#e6edf3', small: '#9198a1', bar: '#6e7681', ours: '#2f81f7', ground: '#0d1117' },
};

function styleOf(scheme: Scheme): string {
  const { text, small, bar: others, ours, ground } = colours[scheme];
  return `
  text { font: 12px system-ui, sans-serif; fill: ${text} }
  .title { font-size: 16px; font-weight: 600 }
  .group { font-weight: 600 }
  .small { font-size: 11px; fill: ${small} }
  .ground { fill: ${ground} }
  .bar { fill: ${others} }
  .ours { fill: ${ours} }
  .axis { stroke: ${text}; stroke-width: 1 }
  .mark { stroke: ${text}; stroke-width: 2 }
  .cut { stroke: ${ground}; stroke-width: 3 }
`;
}

const shown = [
  'graphql',
  'graphql-yoga',
  'mercurius',
  '@apollo/server',
  '@graphql-hive/gateway',
  '@omnigraph/openapi',
  'undici',
];

const packagesOf = ({ versions }: Machine): string => shown.map((name) => `${name} ${versions[name] ?? ''}`).join(', ');
const placeOf = ({ cpu, cores, node, date }: Machine): string =>
  `${cpu}, ${cores} cores, Node ${node}, ${date.slice(0, 10)}.`;

interface Bar {
  readonly contender: string;
  readonly times: number;
  /** The same with variables that never repeat; null where that was not measured. */
  readonly varied: number | null;
}

interface Group {
  readonly title: string;
  readonly bars: readonly Bar[];
}

// Those with variables that never repeat are marks on the bars of their queries; the others say no more than a bar that is there.
const charted = [...loadQueries.filter(({ only }) => only === undefined), ...variedQueries].filter(
  ({ name }) => !/v$|e$|zstd$/.test(name),
);

function groupsOf(load: readonly LoadFigures[]): readonly Group[] {
  const timesFloor = (query: string, contender: string): number | null =>
    timesOf(load, query, [contender, 'floor'])?.median ?? null;
  return charted.flatMap(({ name, title }) => {
    const bars = load
      .filter(({ query, contender }) => query === name && !isFloor(contender))
      .map(({ contender }) => ({
        contender,
        times: timesFloor(name, contender),
        varied: timesFloor(`${name}v`, contender),
      }))
      .filter((one): one is Bar => one.times !== null);
    return bars.length === 0 ? [] : [{ title: `${name}: ${title}`, bars }];
  });
}

/** Horizontal bars of the processor time of each query and contender, as multiples of the floor; null without a floor. */
export function drawChart({ load, machine }: Pick<Results, 'load' | 'machine'>, scheme: Scheme): string | null {
  const groups = groupsOf(load);
  if (groups.length === 0) return null;
  const scale = (times: number): number => (Math.min(times, most) / most) * (width - left - right);
  const parts: string[] = [];
  let y = top;
  for (const { title, bars } of groups) {
    parts.push(`<text class="group" x="16" y="${y + 12}">${escape(title)}</text>`);
    y += 20;
    const begin = y;
    for (const { contender, times, varied } of bars) {
      const kind = contender === 'switchboard' ? 'bar ours' : 'bar';
      const length = scale(times).toFixed(1);
      const end = left + Math.max(scale(times), scale(varied ?? 0));
      parts.push(
        `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${escape(contender)}</text>`,
        `<rect class="${kind}" x="${left}" y="${y}" width="${length}" height="${bar.height}" rx="2"/>`,
        `<text x="${(end + 6).toFixed(1)}" y="${y + 12}">${times.toFixed(1)}×</text>`,
      );
      if (times > most) {
        const cut = left + Number(length) - 24;
        parts.push(`<line class="cut" x1="${cut}" y1="${y + bar.height + 1}" x2="${cut + 8}" y2="${y - 1}"/>`);
      }
      if (varied !== null && varied <= most) {
        const mark = (left + scale(varied)).toFixed(1);
        parts.push(`<line class="mark" x1="${mark}" y1="${y - 2}" x2="${mark}" y2="${y + bar.height + 2}"/>`);
      }
      y += bar.pitch;
    }
    const one = (left + scale(1)).toFixed(1);
    parts.push(`<line class="axis" x1="${one}" y1="${begin - 3}" x2="${one}" y2="${y}" stroke-dasharray="2 3"/>`);
    y += groupGap - 20;
  }
  const label = 'Processor time per request, as multiples of a gateway that does nothing';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y + 12}" viewBox="0 0 ${width} ${y + 12}" role="img" aria-label="${label}">
<style>${styleOf(scheme)}</style>
<rect class="ground" width="${width}" height="${y + 12}"/>
<text class="title" x="16" y="26">${label}</text>
<text class="small" x="16" y="46">Shorter is better; the dashed line is 1×, a mark the same with variables that never repeat; bars beyond ${most}× are cut.</text>
<text class="small" x="16" y="62">${escape(placeOf(machine))}</text>
<text class="small" x="16" y="78">${escape(packagesOf(machine))}</text>
${parts.join('\n')}
</svg>
`;
}
