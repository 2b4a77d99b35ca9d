import * as fc from 'fast-check';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { writtenFromBytes } from '../support/metrics.ts';
import type { JsonRecord } from '../support/records.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { runs } from '../support/runs.ts';

const outbound = 'outbound { channelLimit outboundVoiceProfileId }';
const query = `{ ipConnections(first: 50) { nodes { id active tags ${outbound} } totalCount } }`;

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
const names = ['record_type', 'dtmf_type', 'webhook_timeout_secs', 'inbound', 'x', 'channel_limit'];
const hidden = fc.dictionary(fc.constantFrom(...names), values);

/** The members of a row in any order, with what is shown of it among what is not. */
const row = fc
  .record({
    members: hidden,
    outbound: hidden,
    limit: fc.constantFrom(1, 12, null),
    id: fc.constantFrom('c', 'c1', 'c12'),
  })
  .chain(({ members, outbound: more, limit, id }) => {
    const whole: JsonRecord = {
      ...members,
      id,
      active: true,
      tags: ['a'],
      outbound: { ...more, channel_limit: limit, outbound_voice_profile_id: 'v' },
    };
    const order = Object.keys(whole);
    return fc
      .oneof(fc.constant(order), fc.shuffledSubarray(order, { minLength: order.length }))
      .map((shuffled) => Object.fromEntries(shuffled.map((name) => [name, whole[name]])));
  });

/** Some rows, most of which are there several times. */
const alike = fc
  .array(row, { minLength: 1, maxLength: 3 })
  .chain((rows) => fc.array(fc.constantFrom(...rows), { minLength: 1, maxLength: 8 }));

/** Asks for rows, which are to be written from bytes as they are. */
async function expectWritten(
  { gateway, upstream }: { readonly gateway: Gateway; readonly upstream: ScriptedUpstream },
  rows: readonly JsonRecord[],
  space?: number,
): Promise<void> {
  const data: readonly JsonRecord[] = rows.map((each, index) => ({ ...each, id: `${String(each['id'])}-${index}` }));
  const meta = { total_results: rows.length, total_pages: 1, page_number: 1, page_size: 50 };
  const text = JSON.stringify({ data, meta }, null, space);
  upstream.script(() => ({ headers: { 'content-type': 'application/json' }, text }));
  const before = await writtenFromBytes(gateway);
  const answer = await gateway.query(query);
  const nodes = data.map(({ id, outbound: whole }) => {
    const { channel_limit: channelLimit, outbound_voice_profile_id: outboundVoiceProfileId } = whole as JsonRecord;
    return { id, active: true, tags: ['a'], outbound: { channelLimit, outboundVoiceProfileId } };
  });
  expect(answer.data.ipConnections.nodes).toEqual(nodes);
  expect(await writtenFromBytes(gateway)).toBe(before + 1);
}

test('rows that are alike but for what is not shown of them are written from bytes as they are', async ({
  gateway,
  upstream,
}) => {
  await fc.assert(
    fc.asyncProperty(alike, fc.constantFrom(undefined, 1), (rows, space) =>
      expectWritten({ gateway, upstream }, rows, space),
    ),
    { numRuns: runs(20) },
  );
});

const shown = { id: 'c', active: true, tags: ['a'], outbound: { channel_limit: 1, outbound_voice_profile_id: 'v' } };
const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`member_${index}`, index]));

test.for<readonly [what: string, rows: readonly JsonRecord[]]>([
  [
    'have more members than are noted',
    [many, { ...many, member_7: 70 }, {}, many].map((each) => ({ ...each, ...shown })),
  ],
  [
    'show a name in one object and not in another',
    [
      { ...shown, outbound_voice_profile_id: 'v', x: 1 },
      { ...shown, outbound: { outbound_voice_profile_id: 'v', channel_limit: 1 }, x: 1 },
    ],
  ],
  [
    'have an object, twice, where a row before has a number',
    [1, { a: 1 }, { a: 1 }, { a: 12 }].map((x) => ({ x, ...shown })),
  ],
])('rows that %s are written from bytes as they are', async ([, rows], { gateway, upstream }) => {
  await expectWritten({ gateway, upstream }, rows);
});
