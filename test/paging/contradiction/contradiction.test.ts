import { kindOf } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { metaWith, serve, type Manner } from './manner.ts';
import { createReader } from './reader.ts';

const length = 604;
const withoutTotals: Manner['metaOf'] = ({ page_number, page_size }) => ({ page_number, page_size });
const emptySecond: Manner['rowsOf'] = ({ rows, number }) => (number === 2 ? [] : rows);

/** A walk by 250 rows, the last three, a look-up of a row on the last page, and one of a row that is not there. */
type Reading = 'walk' | 'last' | 'known' | 'unknown';

const path = '/ip_connections';
const allRows = new MovingUpstream(path, length).rows;

const all: readonly Reading[] = ['walk', 'last', 'known', 'unknown'];

/** What is wrong, and the readings that it does not touch: all others are errors. */
const lies: readonly [what: string, manner: Manner, right: readonly Reading[]][] = [
  ['total_pages is 0', metaWith({ total_pages: 0 }), all],
  ['page_size is 0', metaWith({ page_size: 0 }), all],
  ['meta is missing', { metaOf: () => undefined }, ['walk', 'known', 'unknown']],
  [
    'meta has texts for numbers',
    { metaOf: (meta) => Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, String(value)])) },
    ['walk', 'known', 'unknown'],
  ],
  ['an empty page stands in the middle', { rowsOf: emptySecond }, ['last', 'known']],
  ['an empty page is in the middle, and no total is told', { rowsOf: emptySecond, metaOf: withoutTotals }, ['known']],
  [
    'a page in the middle is short, and there is no meta',
    { rowsOf: ({ rows, number }) => (number === 2 ? rows.slice(0, 3) : rows), metaOf: () => undefined },
    ['known'],
  ],
  ['total_results is too small by one', metaWith({ total_results: length - 1 }), ['known']],
  ['total_results is too large by one', metaWith({ total_results: length + 1 }), ['known']],
  ['page_number is always 1', metaWith({ page_number: 1 }), ['known']],
  ['the first page is empty', { rowsOf: ({ rows, number }) => (number === 1 ? [] : rows) }, []],
  ['total_results is 0', metaWith({ total_results: 0 }), []],
  ['total_results is less than a page has', metaWith({ total_results: 100, total_pages: 1 }), []],
  [
    'total_results shrinks below what has been read',
    { metaOf: (meta, { number, used }) => ({ ...meta, total_results: Math.max(1, (number - 1) * used - 10) }) },
    [],
  ],
  ['total_pages is a thousand', metaWith({ total_pages: 1_000 }), []],
  ['every page is the first one', { rowsOf: ({ used }) => allRows.slice(0, used) }, []],
  ['meta is that of another list', metaWith({ total_results: 7, total_pages: 1, page_number: 1, page_size: 20 }), []],
  ['data is null', { rowsOf: () => null }, []],
  ['a page has one row twice', { rowsOf: ({ rows }) => rows.toSpliced(3, 0, ...rows.slice(3, 4)) }, []],
  [
    'each page begins with the last row of the one before',
    { rowsOf: ({ rows, number, used }) => [allRows[(number - 1) * used - 1] ?? rows[0], ...rows.slice(1)] },
    ['last', 'known'],
  ],
];

test.for(lies)(
  'a list is right or an error, never short, where %s',
  async ([, manner, right], { gateway, upstream }) => {
    const list = new MovingUpstream(path, length);
    upstream.script(serve(list, manner));
    const reader = createReader(gateway, kindOf('ipConnections'));
    const known = list.ids[601] ?? '';
    const walk = await reader.walk(250);
    const walked = walk.data as readonly string[];
    // Whatever a walk has shown before its error is right.
    expect(walked).toEqual(list.ids.slice(0, walked.length));
    const readings = {
      walk: { ...walk, due: list.ids },
      last: { ...(await reader.page('last: 3')), due: list.ids.slice(-3) },
      known: { ...(await reader.id(known)), due: known },
      unknown: { ...(await reader.id('nobody')), due: null },
    };
    const failed = expect.stringMatching(/UPSTREAM_(BAD_RESPONSE|ERROR)/);
    for (const [name, { data, message, due }] of Object.entries(readings))
      if (right.includes(name as Reading)) expect([name, data, message]).toEqual([name, due, null]);
      else expect([name, `${JSON.stringify(data)} ${message}`]).toEqual([name, failed]);
  },
);
