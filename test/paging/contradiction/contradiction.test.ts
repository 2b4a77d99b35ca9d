import { isDeepStrictEqual } from 'node:util';
import { kindOf } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { serve, type Manner } from './manner.ts';
import { createReader } from './reader.ts';

const length = 604;
const bad = 'UPSTREAM_BAD_RESPONSE';

const withoutTotals: Manner['metaOf'] = ({ page_number, page_size }) => ({ page_number, page_size });
const emptySecond: Manner['rowsOf'] = ({ rows, number }) => (number === 2 ? [] : rows);

/** What a reading comes to: the right answer, or the code of an error. */
type Due = 'right' | 'UPSTREAM_BAD_RESPONSE' | 'UPSTREAM_ERROR';

/** What becomes of a walk by 250 rows, of the last three, of a look-up on the last page, and of one of a row that is not there. */
type Dues = readonly [walk: Due, last: Due, known: Due, unknown: Due];

const path = '/ip_connections';
/** The row that stands at a position of the list. */
const rowAt = (index: number) => new MovingUpstream(path, length).rows[index];

const allRight: Dues = ['right', 'right', 'right', 'right'];
const allBad: Dues = [bad, bad, bad, bad];
/** One page tells the truth: it shows the row that is looked up. */
const onlyKnown: Dues = [bad, bad, 'right', bad];

const lies: readonly [what: string, manner: Manner, dues: Dues][] = [
  ['total_pages is 0', { metaOf: (meta) => ({ ...meta, total_pages: 0 }) }, allRight],
  ['page_size is 0', { metaOf: (meta) => ({ ...meta, page_size: 0 }) }, allRight],
  ['meta is missing', { metaOf: () => undefined }, ['right', bad, 'right', 'right']],
  [
    'meta has texts for numbers',
    { metaOf: (meta) => Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, String(value)])) },
    ['right', bad, 'right', 'right'],
  ],
  ['an empty page stands in the middle', { rowsOf: emptySecond }, [bad, 'right', 'right', bad]],
  ['an empty page is in the middle, and no total is told', { rowsOf: emptySecond, metaOf: withoutTotals }, onlyKnown],
  [
    'a page in the middle is short, and there is no meta',
    { rowsOf: ({ rows, number }) => (number === 2 ? rows.slice(0, 3) : rows), metaOf: () => undefined },
    onlyKnown,
  ],
  ['total_results is too small by one', { metaOf: (meta) => ({ ...meta, total_results: length - 1 }) }, onlyKnown],
  ['total_results is too large by one', { metaOf: (meta) => ({ ...meta, total_results: length + 1 }) }, onlyKnown],
  ['page_number is always 1', { metaOf: (meta) => ({ ...meta, page_number: 1 }) }, onlyKnown],
  ['the first page is empty', { rowsOf: ({ rows, number }) => (number === 1 ? [] : rows) }, allBad],
  ['total_results is 0', { metaOf: (meta) => ({ ...meta, total_results: 0 }) }, allBad],
  [
    'total_results is less than a page has',
    { metaOf: (meta) => ({ ...meta, total_results: 100, total_pages: 1 }) },
    allBad,
  ],
  [
    'total_results shrinks below what has been read',
    { metaOf: (meta, { number, used }) => ({ ...meta, total_results: Math.max(1, (number - 1) * used - 10) }) },
    allBad,
  ],
  ['total_pages is a thousand', { metaOf: (meta) => ({ ...meta, total_pages: 1_000 }) }, allBad],
  [
    'every page is the first one',
    { rowsOf: ({ used }) => new MovingUpstream(path, length).rows.slice(0, used) },
    allBad,
  ],
  [
    'meta is that of another list',
    { metaOf: () => ({ total_results: 7, total_pages: 1, page_number: 1, page_size: 20 }) },
    allBad,
  ],
  ['data is null', { rowsOf: () => null }, allBad],
  ['a page has one row twice', { rowsOf: ({ rows }) => rows.toSpliced(3, 0, ...rows.slice(3, 4)) }, allBad],
  [
    'each page begins with the last row of the one before',
    {
      rowsOf: ({ rows, number, used }) => (number === 1 ? rows : [rowAt((number - 1) * used - 1), ...rows.slice(1)]),
    },
    [bad, 'right', 'right', 'UPSTREAM_ERROR'],
  ],
];

test.for(lies)(
  'a list is right or an error, and never short in silence, where %s',
  async ([, manner, dues], { gateway, upstream }) => {
    const list = new MovingUpstream(path, length);
    upstream.script(serve(list, manner));
    const reader = createReader(gateway, kindOf('ipConnections'));
    const known = list.ids[601] ?? '';
    const walk = await reader.walk(250);
    const walked = walk.data as readonly string[];
    // Whatever a walk has shown before its error is right.
    expect(walked).toEqual(list.ids.slice(0, walked.length));
    if (walk.message === null) expect(walked).toHaveLength(length);
    const last = await reader.page('last: 3');
    const found = await reader.id(known);
    const missed = await reader.id('nobody');
    expect([
      walk.message === null ? 'right' : walk.message.split(':')[0],
      isDeepStrictEqual(last.data, list.ids.slice(-3)) ? 'right' : last.data,
      found.data === known ? 'right' : found.data,
      missed.data === null ? 'right' : missed.data,
    ]).toEqual(dues);
  },
);
