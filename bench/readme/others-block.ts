import { short, whole } from '../report/figure.ts';
import { markdownTable } from '../report/markdown.ts';
import type { Measured } from './measured.ts';

/** What is not asked again and again: the floor and Switchboard. */
export function othersBlock({ breakdown, export: exports, crowd, newOperation }: Measured['latest']): string {
  const both = <Figures extends { readonly contender: string }>(
    all: readonly Figures[] | null,
    show: (figures: Figures) => string,
  ): readonly string[] =>
    ['floor', 'switchboard'].map((name) => {
      const found = all?.find(({ contender }) => contender === name);
      return found === undefined ? '–' : show(found);
    });
  const huge = exports?.filter(({ report }) => report === '200 MiB') ?? null;
  return markdownTable(
    ['other', 'Floor', 'Switchboard'],
    [
      [
        'Q5: 20,000 numbers, 40 pages of 500',
        ...both(breakdown, ({ wallMs, calls, onePageMs, loop }) => {
          const held = loop === null ? '' : `; loop held ${short(loop.heldMs)} ms`;
          return `${whole(wallMs)} ms, ${whole(calls)} calls; a page alone ${short(onePageMs)} ms${held}`;
        }),
      ],
      [
        'the report as CSV, 200 MiB',
        ...both(
          huge,
          ({ mebibytesPerSecond, peakMebibytes }) =>
            `${whole(mebibytesPerSecond)} MiB/s, peak ${whole(peakMebibytes)} MiB`,
        ),
      ],
      [
        'Q7: 100 equal Q1 at once, upstream 50 ms',
        ...both(crowd, ({ wallMs, calls }) => `${whole(wallMs.median)} ms, calls: ${whole(calls.median)}`),
      ],
      [
        'Q8: an operation never seen before',
        ...both(newOperation, ({ medianMs }) => `${medianMs.toFixed(1)} ms (median)`),
      ],
    ],
  );
}
