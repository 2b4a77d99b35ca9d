import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { contenders } from './contenders.ts';
import type { Figures } from './measure.ts';
import { queries } from './queries.ts';

/** A run: where and when, and what it found. */
export interface Results {
  readonly machine: string;
  readonly rounds: number;
  readonly figures: readonly Figures[];
}

const measured = [
  'node_modules/mercurius/',
  'node_modules/graphql-yoga/',
  'node_modules/@apollo/server/',
  'mesh/node_modules/@graphql-hive/gateway/',
  'node_modules/@tailcallhq/core-linux-x64-gnu/',
];

/** The machine, and the versions of what was measured. */
export function describeMachine(): string {
  const packages = measured.flatMap((folder) => {
    const manifest = new URL(`${folder}package.json`, import.meta.url);
    if (!existsSync(manifest)) return [];
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string; version: string };
    return [`${name} ${version}`];
  });
  const date = new Date().toISOString().slice(0, 10);
  const { node } = process.versions;
  return [`${cpus()[0]?.model.trim()}, one core for each server`, `Node ${node}`, ...packages, date].join('; ');
}

/** Writes the results, a line for each figure. */
export function writeResults(file: string, { figures, ...run }: Results): void {
  const lines = figures.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
  const head = JSON.stringify(run, null, 2).slice(0, -2);
  writeFileSync(new URL(file, import.meta.url), `${head},\n  "figures": [\n${lines}\n  ]\n}\n`);
}

export function readResults(): Results {
  return JSON.parse(readFileSync(new URL('results.json', import.meta.url), 'utf8')) as Results;
}

/** A table in Markdown, as Prettier formats it: its first column is text, and the others are figures. */
function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((_, column) =>
    Math.max(...[headings, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const padded = (cells: readonly string[]): readonly string[] =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [padded(headings), rule, ...rows.map(padded)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

type Show = (figures: Figures) => string;

const times: Show = ({ timesFloor }) => timesFloor.toFixed(timesFloor < 10 ? 1 : 0);

/** A row for each query, a column for each contender. */
function tableOf(figures: readonly Figures[], show: Show): string {
  const present = contenders.filter(({ name }) => figures.some(({ contender }) => contender === name));
  const rows = queries
    .filter(({ name }) => figures.some(({ query }) => query === name))
    .map(({ name, title, isComputed }) => [
      isComputed ? title : `${name.toUpperCase()}: ${title}`,
      ...present.map((contender) => {
        const found = figures.find((one) => one.query === name && one.contender === contender.name);
        return found === undefined ? '–' : show(found);
      }),
    ]);
  return table(['query', ...present.map(({ title }) => title)], rows);
}

/** What the README shows, by the name of its place. */
function textsOf({ machine, rounds, figures }: Results): Readonly<Record<string, string>> {
  const ratiosOf = (isShown: (contender: string) => boolean): string => {
    const ratios = figures.filter(({ contender }) => isShown(contender)).map(({ timesFloor }) => timesFloor);
    const shown = (ratio: number): string => ratio.toFixed(ratio < 10 ? 1 : 0);
    return `${shown(Math.min(...ratios))} to ${shown(Math.max(...ratios))}`;
  };
  return {
    machine: `${machine}; medians of ${rounds} interleaved rounds.`,
    processor: tableOf(figures, (one) => (one.contender === 'floor' ? `${Math.round(one.micros)} µs` : times(one))),
    'first-thousand': tableOf(figures, ({ firstThousand }) => firstThousand.toFixed(1)),
    memory: tableOf(figures, ({ idleMebibytes, peakMebibytes }) => `${idleMebibytes} → ${peakMebibytes}`),
    'own-range': ratiosOf((name) => name === 'switchboard'),
    'peers-range': ratiosOf((name) => !['floor', 'switchboard', 'tailcall'].includes(name)),
    'rust-range': ratiosOf((name) => name === 'tailcall'),
  };
}

/** All tables of some figures, as a terminal shows them. */
export function tables(figures: readonly Figures[]): string {
  const { processor, 'first-thousand': first, memory } = textsOf({ machine: '', rounds: 0, figures });
  return [processor, first, memory].join('\n\n');
}

/** A page with its places filled: what stands between `<!-- bench: name -->` and `<!-- end -->`. Throws for an unknown name. */
export function filledPage(page: string, results: Results): string {
  const texts = textsOf(results);
  return page.replace(/<!-- bench: ([\w-]+) -->[^]*?<!-- end -->/g, (place, name: string) => {
    const text = texts[name];
    if (text === undefined) throw new Error(`There are no results named ${name}.`);
    const edge = place.includes('\n') ? '\n\n' : '';
    return `<!-- bench: ${name} -->${edge}${text}${edge}<!-- end -->`;
  });
}

/** The pages that show results. */
export const pagesWithResults = ['bench/README.md', 'README.md'];

/** Writes the results into the pages. */
export function fillPages(results: Results): void {
  for (const path of pagesWithResults) {
    const page = new URL(`../${path}`, import.meta.url);
    writeFileSync(page, filledPage(readFileSync(page, 'utf8'), results));
  }
}

if (import.meta.main) fillPages(readResults());
