import { Random } from '../../src/sandbox/random.ts';
import { subscribe } from '../support/event-stream.ts';
import { expect, test } from '../support/gateway.ts';
import { errorsOf, idsOf, quick } from '../live/subscription.ts';
import { kinds, liesOf, type Kind } from './lies.ts';
import { LyingList } from './lying-list.ts';
import { deliveries } from './noun.ts';

const { LYING_SEED: seed = String(Date.now()), LYING_STREAMS = '60' } = process.env;
const streams = Number(LYING_STREAMS);
const document = 'subscription { webhookDeliveries { id } }';
const scanPages = 8;
// Of a list of which nothing can be read, for as long as it lies.
const mostPolls = 20;

function createList(number: number): { readonly kind: Kind; readonly list: LyingList } {
  const random = new Random(`${seed} ${number}`);
  const kind = random.pick(kinds.filter((each) => each !== 'moving'));
  const length = random.pick([0, 1, random.int(2, 60), random.int(60, 300)]);
  const lies = liesOf(kind, random);
  const options = { noun: deliveries, isLiar: true, length, lies, seed: `${seed} ${number}`, happen: null };
  return { kind, list: new LyingList(options) };
}

test(
  `a stream sends each delivery that appears once, or ends with an error, or waits (LYING_SEED=${seed})`,
  { timeout: 60_000 + streams * 1_000 },
  async ({ startWith, upstream }) => {
    const gateway = await startWith({
      ...quick,
      UPSTREAM_SCAN_PAGES: String(scanPages),
      UPSTREAM_BREAKER_OPEN_MS: '1',
      LOG_LEVEL: 'silent',
    });
    const lists = new Map<string, LyingList>();
    upstream.script((request) => {
      upstream.requests.length = 0;
      const list = lists.get(String(request.headers.authorization).replace('Bearer ', ''));
      return list === undefined ? { status: 404 } : list.answer(request);
    });
    for (let number = 0; number < streams; number++) {
      const { kind, list } = createList(number);
      const told = `LYING_SEED=${seed}, stream ${number}: ${kind}, ${list.rows.length} rows, ${JSON.stringify(list.lies)}`;
      const key = `stream-${number}`;
      lists.set(key, list);
      const stream = await subscribe(gateway, document, { key });
      const ended = stream.ended.then(() => 'ended');
      await Promise.race([stream.begun, ended]);
      const before = new Set(list.ids);
      const added = ['row', 'row', 'row'].map(() => {
        list.insert(0);
        return list.ids[0];
      });
      const { calls } = list;
      await expect
        .poll(
          () => idsOf(stream).length >= added.length || errorsOf(stream).length > 0 || list.calls > calls + mostPolls,
          {
            timeout: 20_000,
          },
        )
        .toBe(true);
      const shown = idsOf(stream);
      expect(new Set(shown).size, `${told}: a delivery twice`).toBe(shown.length);
      // A row that the first look was not shown appears when it is.
      const isShownAll = list.lies.rows === 'none' && list.lies.failing === 0;
      if (isShownAll)
        expect(
          shown.filter((id) => before.has(String(id))),
          told,
        ).toEqual([]);
      // However short the pages are, what is new fits into the calls of one look.
      const isReadable = kind === 'honest' || (kind === 'clamped' && !list.isDeceptive);
      if (isReadable || (shown.length === added.length && isShownAll)) expect(shown, told).toEqual(added);
      expect(list.asked.largest, told).toBeLessThanOrEqual(deliveries.pageLimit);
      stream.close();
      lists.delete(key);
    }
  },
);
