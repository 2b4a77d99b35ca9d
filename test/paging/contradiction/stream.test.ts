import { subscribe } from '../../support/streams.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { all, errorsOf, idsOf, quick } from '../../live/subscription.ts';
import { clampedTo, metaWith, serve, silentlyClampedTo, type Manner } from './manner.ts';

// Of a list of which nothing can be read, for as long as it lies.
const mostPolls = 20;

const manners: readonly [string, 'all' | 'some', Manner][] = [
  ['nothing is odd', 'all', {}],
  ['pages are clamped to 20', 'all', clampedTo(20)],
  ['pages are clamped to 20 in silence', 'all', silentlyClampedTo(20)],
  ['meta is missing', 'all', { metaOf: () => undefined }],
  ['total_results is 0', 'some', metaWith({ total_results: 0 })],
  ['total_results is one less', 'some', { metaOf: (meta) => ({ ...meta, total_results: meta.total_results - 1 }) }],
  ['pages begin with a row twice', 'some', { rowsOf: ({ rows }) => [...rows.slice(0, 1), ...rows.slice(0, -1)] }],
  ['each second page is empty', 'some', { rowsOf: ({ rows, calls }) => (calls % 2 === 0 ? rows : []) }],
];

test.for(manners)(
  'a stream sends each delivery once, or fails, or waits, where %s',
  async ([, due, manner], { startWith, upstream }) => {
    const gateway = await startWith({ ...quick, UPSTREAM_SCAN_PAGES: '8' });
    const list = new MovingUpstream('/webhook_deliveries', 104);
    upstream.script(serve(list, manner));
    const stream = await subscribe(gateway, all);
    await Promise.race([stream.begun, stream.ended]);
    list.insert(0, 3);
    const added = list.ids.slice(0, 3).toReversed();
    const calls = upstream.requests.length;
    await expect
      .poll(
        () =>
          idsOf(stream).length >= added.length ||
          errorsOf(stream).length > 0 ||
          upstream.requests.length > calls + mostPolls,
      )
      .toBe(true);
    const shown = idsOf(stream);
    expect(shown).toEqual(due === 'all' ? added : added.filter((id) => shown.includes(id)));
    stream.close();
  },
);
