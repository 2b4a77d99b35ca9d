import { describe } from 'vitest';
import { kinds } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { serve, type Manner } from './manner.ts';
import { createReader } from './reader.ts';

const length = 604;
const bad = 'UPSTREAM_BAD_RESPONSE';

const withoutTotals: Manner['metaOf'] = ({ page_number, page_size }) => ({ page_number, page_size });
const emptySecond: Manner['rowsOf'] = ({ rows, number }) => (number === 2 ? [] : rows);

/** The lists whose pages hold 250 rows. */
const lists = kinds.filter(({ limit }) => limit === 250);

describe.each(lists)('a list of $list', (kind) => {
  const { path } = kind;

  // What a walk by 250 rows, the last three, a row of the last page and an unknown one come to.
  const tellings: readonly [string, Manner, Readonly<Record<'walk' | 'last' | 'known' | 'unknown', string>>][] = [
    [
      'an empty page stands in the middle',
      { rowsOf: emptySecond },
      { walk: bad, last: 'right', known: 'right', unknown: bad },
    ],
    [
      'an empty page stands in the middle, and no total is told',
      { rowsOf: emptySecond, metaOf: withoutTotals },
      { walk: bad, last: bad, known: 'right', unknown: bad },
    ],
    [
      'an empty page stands in the middle, and there is no meta',
      { rowsOf: emptySecond, metaOf: () => undefined },
      { walk: bad, last: bad, known: 'right', unknown: bad },
    ],
    [
      'a page in the middle is short, and there is no meta',
      { rowsOf: ({ rows, number }) => (number === 2 ? rows.slice(0, 3) : rows), metaOf: () => undefined },
      { walk: bad, last: bad, known: 'right', unknown: bad },
    ],
    [
      'the first page is empty',
      { rowsOf: ({ rows, number }) => (number === 1 ? [] : rows) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'total_results and total_pages are 0',
      { metaOf: (meta) => ({ ...meta, total_results: 0, total_pages: 0 }) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'total_results is 0',
      { metaOf: (meta) => ({ ...meta, total_results: 0 }) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'total_results is less than a page has',
      { metaOf: (meta) => ({ ...meta, total_results: 100, total_pages: 1 }) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'total_results is one less than there are rows',
      { metaOf: (meta) => ({ ...meta, total_results: length - 1 }) },
      { walk: bad, last: bad, known: 'right', unknown: bad },
    ],
    [
      'total_results is one more than there are rows',
      { metaOf: (meta) => ({ ...meta, total_results: length + 1 }) },
      { walk: bad, last: bad, known: 'right', unknown: bad },
    ],
    [
      'total_results is the largest number',
      { metaOf: (meta) => ({ ...meta, total_results: 2 ** 31 - 1 }) },
      { walk: bad, last: bad, known: 'right', unknown: bad },
    ],
    [
      'total_results shrinks below what has been read',
      {
        metaOf: (meta, { number, used }) => ({ ...meta, total_results: Math.max(1, (number - 1) * used - 10) }),
      },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'total_pages is a thousand',
      { metaOf: (meta) => ({ ...meta, total_pages: 1_000 }) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'total_pages is 0',
      { metaOf: (meta) => ({ ...meta, total_pages: 0 }) },
      { walk: 'right', last: 'right', known: 'right', unknown: 'right' },
    ],
    [
      'page_number is always 1',
      { metaOf: (meta) => ({ ...meta, page_number: 1 }) },
      { walk: bad, last: bad, known: 'right', unknown: bad },
    ],
    [
      'page_number is that of the next page',
      { metaOf: (meta) => ({ ...meta, page_number: meta.page_number + 1 }) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'every page is the first one',
      { rowsOf: ({ used }) => rowsOfHead(path, used) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'meta is that of another list',
      { metaOf: () => ({ total_results: 7, total_pages: 1, page_number: 1, page_size: 20 }) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'total_results and total_pages are swapped',
      { metaOf: (meta) => ({ ...meta, total_results: meta.total_pages, total_pages: meta.total_results }) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'meta has texts for numbers',
      { metaOf: (meta) => Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, String(value)])) },
      { walk: 'right', last: bad, known: 'right', unknown: 'right' },
    ],
    ['meta is missing', { metaOf: () => undefined }, { walk: 'right', last: bad, known: 'right', unknown: 'right' }],
    [
      'page_size is 0',
      { metaOf: (meta) => ({ ...meta, page_size: 0 }) },
      { walk: 'right', last: 'right', known: 'right', unknown: 'right' },
    ],
    ['data is null', { rowsOf: () => null }, { walk: bad, last: bad, known: bad, unknown: bad }],
    [
      'a page has one row too many',
      { rowsOf: ({ rows }) => rows.toSpliced(3, 0, ...rows.slice(3, 4)) },
      { walk: bad, last: bad, known: bad, unknown: bad },
    ],
    [
      'each page begins with the last row of the one before',
      {
        rowsOf: ({ rows, number, used }) =>
          number === 1 ? rows : [rowAt(path, (number - 1) * used - 1), ...rows.slice(1)],
      },
      { walk: 'right', last: 'right', known: 'right', unknown: 'UPSTREAM_ERROR' },
    ],
  ];

  test.for(tellings)(
    'is right or an error, and never short in silence, where %s',
    async ([, manner, due], { gateway, upstream }) => {
      const list = new MovingUpstream(path, length);
      upstream.script(serve(list, manner));
      const reader = createReader(gateway, kind);
      const walk = await reader.walk(250);
      const [last, known, unknown] = [
        await reader.page('last: 3'),
        await reader.id(list.ids[601] ?? ''),
        await reader.id('nobody'),
      ];
      const walked = walk.data as readonly string[];
      expect(walked).toEqual(list.ids.slice(0, walked.length));
      if (walk.message === null) expect(walked).toHaveLength(length);
      const rightly = (data: unknown, right: unknown): unknown =>
        JSON.stringify(data) === JSON.stringify(right) ? 'right' : data;
      expect({
        walk: walk.message === null ? 'right' : walk.message.split(':')[0],
        last: rightly(last.data, list.ids.slice(-3)),
        known: rightly(known.data, list.ids[601]),
        unknown: rightly(unknown.data, null),
      }).toEqual(due);
    },
  );
});

/** The row at a position of a list of this path. */
const rowAt = (path: MovingUpstream['path'], index: number) => new MovingUpstream(path, length).rows[index];

const rowsOfHead = (path: MovingUpstream['path'], count: number) =>
  new MovingUpstream(path, length).rows.slice(0, count);
