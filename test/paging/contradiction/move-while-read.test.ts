import { describe } from 'vitest';
import { kinds } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { clampedTo, serve } from './manner.ts';
import { createReader } from './reader.ts';

const mostCalls = 12;

/** All pairs of two calls, the earlier one first. */
const pairs = Array.from({ length: mostCalls }, (_, later) => later).flatMap((later) =>
  Array.from({ length: later }, (_, earlier) => [earlier, later] as const),
);

describe.each(kinds)('a page of $list behind a cursor', (kind) => {
  const { list: name, path } = kind;

  // The cursor's row is the last, the middle or the first one of an upstream's page.
  test.for([30, 29, 28])(
    'repeats and skips no row behind %d others, at whichever calls rows come and go before it',
    async (passed, { gateway, upstream }) => {
      const expected = Array.from({ length: 10 }, (_, index) => `row-${passed + index}`);
      const reader = createReader(gateway, kind);
      let rightPages = 0;
      for (const [deleted, inserted] of pairs) {
        const list = new MovingUpstream(path, 84);
        const serveThree = serve(list, clampedTo(3));
        upstream.script(serveThree);
        const { data } = await gateway.query(`{ list: ${name}(first: ${passed}) { pageInfo { endCursor } } }`);
        list.insert(0, 2);
        let calls = 0;
        upstream.script((request) => {
          if (calls === deleted) list.delete(0, 1);
          if (calls === inserted) list.insert(0, 2);
          calls++;
          return serveThree(request);
        });
        const read = await reader.page(`first: 10, after: "${data.list.pageInfo.endCursor}"`);
        expect(['UPSTREAM_ERROR', expected], `${deleted} ${inserted}`).toContainEqual(read.data);
        if (read.message === null) rightPages++;
      }
      expect(rightPages / pairs.length).toBeGreaterThan(0.75);
    },
  );
});

test.for(kinds)(
  'the last rows of $list are read in few calls where every second page claims to be of the longest list',
  async (kind, { gateway, upstream }) => {
    const list = new MovingUpstream(kind.path, 600);
    upstream.script(
      serve(list, {
        ...clampedTo(30),
        metaOf: (meta, { calls }) => (calls % 2 === 0 ? meta : { ...meta, total_results: 2 ** 31 - 1 }),
      }),
    );
    const read = await createReader(gateway, kind).page('last: 30');
    expect(['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_ERROR', list.ids.slice(-30)]).toContainEqual(read.data);
    expect(upstream.requests.length).toBeLessThan(40);
  },
);
