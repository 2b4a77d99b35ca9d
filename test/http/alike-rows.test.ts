import * as fc from 'fast-check';
import { expect, test, type Gateway } from '../support/gateway.ts';
import type { JsonRecord } from '../support/records.ts';

const query = '{ ipConnections(first: 50) { nodes { id active tags outbound { channelLimit } } totalCount } }';

/** How many operations have been written from bytes. */
async function writtenBy(gateway: Gateway): Promise<number> {
  const text = await (await gateway.fetch('/metrics')).text();
  return Number(/^switchboard_operations_total\{way="bytes"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

// Values that begin alike and end otherwise, and others of another kind.
const scalars = [0, 1, 12, 123, -1, 1.5, 1.25, true, null, '', 'a', 'ab', 'ab","id":"x', 'a\\', 'é', '}'];
const nested = [
  [],
  [1],
  [12],
  {},
  { a: 1 },
  { a: 12 },
  { a: 1, channel_limit: 7 },
  { channel_limit: { a: [1, { b: 'c' }] } },
];
const values = fc.constantFrom<unknown>(...scalars, ...nested);
const names = ['record_type', 'dtmf_type', 'webhook_timeout_secs', 'inbound', 'x', 'id_', 'channel_limit'];
const hidden = fc.dictionary(fc.constantFrom(...names), values);

/** The members of a row in any order, with what is shown of it among what is not. */
const row = fc
  .record({
    members: hidden,
    outbound: hidden,
    limit: fc.constantFrom(1, 12, null),
    id: fc.constantFrom('c', 'c1', 'c12'),
  })
  .chain(({ members, outbound, limit, id }) => {
    const whole = {
      ...members,
      id,
      active: true,
      tags: ['a'],
      outbound: { ...outbound, channel_limit: limit },
    };
    return fc
      .oneof(
        fc.constant(Object.keys(whole)),
        fc.shuffledSubarray(Object.keys(whole), { minLength: Object.keys(whole).length }),
      )
      .map((order) => Object.fromEntries(order.map((name) => [name, whole[name as keyof typeof whole]])));
  });

test('rows that are alike but for what is not shown of them are written from bytes as they are', async ({
  gateway,
  upstream,
}) => {
  let rows: readonly JsonRecord[] = [];
  let space: number | undefined;
  upstream.script(() => {
    const data = rows.map((each, index) => ({ ...each, id: `${String(each['id'])}-${index}` }));
    const meta = { total_results: rows.length, total_pages: 1, page_number: 1, page_size: 50 };
    return { headers: { 'content-type': 'application/json' }, text: JSON.stringify({ data, meta }, null, space) };
  });
  await gateway.query(query);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(undefined, 1),
      async (some, indent) => {
        [rows, space] = [some, indent];
        const before = await writtenBy(gateway);
        const { data } = await gateway.query(query);
        expect(data.ipConnections.nodes).toEqual(
          rows.map((each, index) => ({
            id: `${String(each['id'])}-${index}`,
            active: true,
            tags: ['a'],
            outbound: { channelLimit: (each['outbound'] as { channel_limit: number | null }).channel_limit },
          })),
        );
        expect(await writtenBy(gateway)).toBe(before + 1);
      },
    ),
    { numRuns: 100 },
  );
});
