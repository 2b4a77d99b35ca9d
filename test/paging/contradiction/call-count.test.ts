import { describe } from 'vitest';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { violationsIn } from '../../support/metrics.ts';
import { clampedTo, cutTo, metaWith, serve, silentlyClampedTo, type Manner } from './manner.ts';

const length = 604;

/** Windows all over a list, at its end and behind it; each fits into one page. */
const windows = Array.from({ length: 40 }, (_, index) => ({
  first: [1, 3, 20, 24, 50][index % 5] ?? 1,
  offset: Math.floor((index * (length + 3)) / 39),
}));

async function idsOf(gateway: Gateway, list: string, first: number, offset: number): Promise<readonly string[]> {
  const { data, errors } = await gateway.query(
    `{ list: ${list}(first: ${first}, offset: ${offset}) { totalCount nodes { id } } }`,
  );
  expect(errors, `${first} from ${offset}`).toEqual([]);
  expect(data.list.totalCount).toBe(length);
  return data.list.nodes.map(({ id }: { readonly id: string }) => id);
}

describe('a list', () => {
  const name = 'ipConnections';
  const path = '/ip_connections';

  const manners: readonly [string, number, number, Manner][] = [
    ['to 100', 100, 1, clampedTo(100)],
    ['to 100 in silence', 100, 1, silentlyClampedTo(100)],
    ['to 100, and begin where they were asked to', 100, 1, cutTo(100)],
    ['to 20', 20, 1, clampedTo(20)],
    // A page near the end may be the last of either size: the first page tells.
    ['to 20 in silence', 20, 2, silentlyClampedTo(20)],
  ];

  test.for(manners)(
    'is exact for few calls where pages are clamped %s',
    async ([, size, more, manner], { gateway, upstream }) => {
      const list = new MovingUpstream(path, length);
      upstream.script(serve(list, manner));
      for (const { first, offset } of windows) {
        upstream.requests.length = 0;
        expect(await idsOf(gateway, name, first, offset)).toEqual(list.ids.slice(offset, offset + first));
        // A window that does not begin where a page begins touches one page more.
        expect(upstream.requests.length, `${first} from ${offset}`).toBeLessThanOrEqual(
          Math.ceil(first / size) + 1 + more,
        );
      }
    },
  );
});

test.for([
  ['page_size says more than a page holds', { metaOf: (meta) => ({ ...meta, page_size: meta.page_size - 1 }) }],
  ['page_number is another one', metaWith({ page_number: 7 })],
  ['total_results is 0', metaWith({ total_results: 0 })],
] as readonly [string, Manner][])(
  'a contradiction is counted as drift: %s',
  async ([, manner], { gateway, upstream }) => {
    upstream.script(serve(new MovingUpstream('/ip_connections', length), manner));
    const { data, errors } = await gateway.query('{ ipConnections(first: 20) { nodes { id } } }');
    expect(data).toEqual({ ipConnections: null });
    expect(errors).toMatchObject([{ path: ['ipConnections'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    expect(await violationsIn(gateway)).toEqual({ 'Query.ipConnections contradiction': 1 });
  },
);
