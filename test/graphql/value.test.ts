import { describe } from 'vitest';
import { expect, testOfFile as test } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import type { Reply } from '../support/scripted-upstream.ts';

const summary = `{
  chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { summary { lines {
    ... on SimpleLine { quantity amount }
    ... on ComparativeLine { newThisMonth { quantity mrc otc } }
  } } }
}`;

function rowsReply(...rows: readonly unknown[]): Reply {
  return { json: { data: rows, meta: { total_results: rows.length } } };
}

/** A response of the upstream to the letter: one mission whose metadata is `text`. */
function metadataReply(text: string): Reply {
  return {
    text: `{"data":[{"mission_id":"a","metadata":${text}}],"meta":{"total_results":1}}`,
    headers: { 'content-type': 'application/json' },
  };
}

describe('a decimal', () => {
  test('of very many digits is read, and a text that only begins like one is not', async ({ gateway, upstream }) => {
    const digits = '1'.repeat(200_000);
    const lines = [digits, `${digits}x`, `${digits}.${digits}e`].map((amount) => records.simpleLine({ amount }));
    upstream.script(() => ({ json: { data: records.chargesSummaryRecord({ summary: { lines, adjustments: [] } }) } }));
    const { data, errors } = await gateway.query(summary);
    expect(data.chargesSummary.summary.lines).toMatchObject([{ amount: digits }, null, null]);
    expect(errors).toHaveLength(2);
  });

  test.for(['0.10', '1.', '.5', '+1.50', '1e400', '1234567890123456789012345678901234567890.12'])(
    'passes digit for digit: %s',
    async (amount, { gateway, upstream }) => {
      const lines = [
        records.simpleLine({ amount }),
        records.comparativeLine({ new_this_month: { quantity: 0, mrc: amount, otc: amount } }),
      ];
      upstream.script(() => ({
        json: { data: records.chargesSummaryRecord({ summary: { lines, adjustments: [] } }) },
      }));
      const { data, errors } = await gateway.query(summary);
      expect(errors).toEqual([]);
      expect(data.chargesSummary.summary.lines).toEqual([
        { quantity: 120, amount },
        { newThisMonth: { quantity: 0, mrc: amount, otc: amount } },
      ]);
    },
  );

  test.for([4.8, records.rawNumber('4.80'), '', 'free', '1,50', 'NaN', 'Infinity', '0x10', ' 1', true, ['1.00']])(
    'is a decimal string and nothing else: %j costs its line alone',
    async (amount, { gateway, upstream }) => {
      const lines = [records.simpleLine({ amount }), records.simpleLine()];
      upstream.script(() => ({
        json: { data: records.chargesSummaryRecord({ summary: { lines, adjustments: [] } }) },
      }));
      const { data, errors } = await gateway.query(summary);
      expect(data.chargesSummary.summary.lines).toEqual([null, { quantity: 120, amount: '4.80' }]);
      expect(errors).toMatchObject([
        {
          path: ['chargesSummary', 'summary', 'lines', 0, 'amount'],
          extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false },
        },
      ]);
    },
  );
});

describe('an integer', () => {
  test.for([
    ['12.0', 12],
    ['1.2e1', 12],
    ['-0', 0],
    ['2147483647', 2_147_483_647],
    ['-2147483648', -2_147_483_648],
  ] as const)('is read however it is written: %s', async ([digits, value], { gateway, upstream }) => {
    upstream.script(() => rowsReply({ webhook_timeout_secs: records.rawNumber(digits) }));
    const { data, errors } = await gateway.query('{ ipConnections { nodes { webhookTimeoutSecs } } }');
    expect(errors).toEqual([]);
    expect(data.ipConnections.nodes).toEqual([{ webhookTimeoutSecs: value }]);
  });

  test.for(['2147483648', '-2147483649', '12.5', '1e999', '9007199254740993', '"12"', 'true', '{}', '[12]'])(
    'beyond 32 bits, or none at all, costs its own field: %s',
    async (digits, { gateway, upstream }) => {
      upstream.script(() => ({
        text: `{"data":[{"id":"a","webhook_timeout_secs":${digits}}]}`,
        headers: { 'content-type': 'application/json' },
      }));
      const { data, errors } = await gateway.query('{ ipConnections { nodes { id webhookTimeoutSecs } } }');
      expect(data.ipConnections.nodes).toEqual([{ id: 'a', webhookTimeoutSecs: null }]);
      expect(errors).toMatchObject([
        { path: ['ipConnections', 'nodes', 0, 'webhookTimeoutSecs'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
      ]);
      expect(errors[0].message).not.toMatch(/\d{3}|12\.5/);
    },
  );
});

test.for([
  '2026-10-02T14:05:11Z',
  '2026-10-02T14:05:11.123456789+00:00',
  '2026-10-02t14:05:11z',
  '2026-10-02 14:05:11',
  '2026-10-02T14:05',
])('a timestamp passes as it was written: %s', async (text, { gateway, upstream }) => {
  upstream.script(() => rowsReply({ created_at: text }));
  const { data, errors } = await gateway.query('{ ipConnections { nodes { createdAt } } }');
  expect(errors).toEqual([]);
  expect(data.ipConnections.nodes).toEqual([{ createdAt: text }]);
});

test.for(['yesterday', '2026-10-02', '', '14:05', 1_791_000_000, {}])(
  'a timestamp that is none costs its own field: %j',
  async (value, { gateway, upstream }) => {
    upstream.script(() => rowsReply({ id: 'a', created_at: value }));
    const { data, errors } = await gateway.query('{ ipConnections { nodes { id createdAt } } }');
    expect(data.ipConnections.nodes).toEqual([{ id: 'a', createdAt: null }]);
    expect(errors).toMatchObject([
      { path: ['ipConnections', 'nodes', 0, 'createdAt'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
    ]);
  },
);

test('an identifier of 64 bits keeps its digits, and unknown fields are ignored', async ({ gateway, upstream }) => {
  const outbound = { outbound_voice_profile_id: '1293384261075731499', new_thing: records.rawNumber('1e400') };
  upstream.script(() => rowsReply({ id: 'a', outbound, unknown: { deep: [1, null] }, __proto__x: 1 }));
  const { data, errors } = await gateway.query(
    '{ ipConnections { nodes { id outbound { outboundVoiceProfileId } } } }',
  );
  expect(errors).toEqual([]);
  expect(data.ipConnections.nodes).toEqual([{ id: 'a', outbound: { outboundVoiceProfileId: '1293384261075731499' } }]);
});

test('text passes unchanged, whatever its characters', async ({ gateway, upstream }) => {
  const name = 'q"\\\n\u0000\u2028\u{1F4DE}\uFEFF</script>';
  upstream.script(() => rowsReply({ connection_name: name }));
  const { data } = await gateway.query('{ ipConnections { nodes { connectionName } } }');
  expect(data.ipConnections.nodes).toEqual([{ connectionName: name }]);
});

const deep = (depth: number): string => `${'{"a":['.repeat(depth)}9007199254740993${']}'.repeat(depth)}`;

describe('a free-form value', () => {
  test.for([
    '{"n":9007199254740993,"m":-9007199254740993,"big":123456789012345678901234567890}',
    '{"one":1.0,"exp":1E5,"neg":1e-7,"huge":1e400,"zero":-0,"tiny":0.1000}',
    '{"list":[1.0,[2.50,{"x":-0.0}],null,true,"1.0"]}',
    '{"__proto__":{"polluted":1.0},"constructor":{"prototype":1},"toString":2,"toJSON":3,"then":4,"length":5}',
    '{"a":1.0,"text":"a \\"quoted\\": 9007199254740993, and more","":0}',
    '{"rawJSON":"1.0","b":1.0}',
    deep(490),
  ])('passes to the letter: %s', async (text, { gateway, upstream }) => {
    upstream.script(() => metadataReply(text));
    const { errors, text: response } = await gateway.query('{ missions { nodes { metadata } } }');
    expect(errors).toEqual([]);
    expect(response).toBe(`{"data":{"missions":{"nodes":[{"metadata":${text}}]}}}`);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('of any depth fails its own field alone', async ({ gateway, upstream }) => {
    const rows = `[{"mission_id":"a","metadata":${deep(100_000)}},{"mission_id":"b","metadata":{"n":1.0}}]`;
    upstream.script(() => ({ text: `{"data":${rows}}`, headers: { 'content-type': 'application/json' } }));
    const ids = await gateway.query('{ missions { nodes { id } } }');
    expect(ids.data).toEqual({ missions: { nodes: [{ id: 'a' }, { id: 'b' }] } });
    const { data, errors } = await gateway.query('{ missions { nodes { id metadata } } }');
    expect(data.missions.nodes[0].id).toBe('a');
    expect(data.missions.nodes[1]).toEqual({ id: 'b', metadata: { n: 1 } });
    for (const error of errors) expect(error).toMatchObject({ path: ['missions', 'nodes', 0, 'metadata'] });
  });

  test.for(['[]', '"text"', '12', '1.0', 'true', '[{}]'])(
    'is an object, or costs its own field: %s',
    async (text, { gateway, upstream }) => {
      upstream.script(() => metadataReply(text));
      const { data, errors } = await gateway.query('{ missions { nodes { id metadata } } }');
      expect(data).toEqual({ missions: { nodes: [{ id: 'a', metadata: null }] } });
      expect(errors).toMatchObject([
        { path: ['missions', 'nodes', 0, 'metadata'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
      ]);
    },
  );
});

test('a row that is no object fails alone, in nodes and in edges', async ({ gateway, upstream }) => {
  upstream.script(() => rowsReply({ id: 'a' }, null, 'canary', 7, ['canary'], records.rawNumber('1.0'), { id: 'b' }));
  const { data, errors } = await gateway.query(
    '{ ipConnections { totalCount nodes { id } edges { cursor node { id } } } }',
  );
  const shown = [{ id: 'a' }, null, null, null, null, null, { id: 'b' }];
  expect(data.ipConnections.totalCount).toBe(7);
  expect(data.ipConnections.nodes).toEqual(shown);
  expect(data.ipConnections.edges.map(({ node }: { node: unknown }) => node)).toEqual(shown);
  const indices = [1, 2, 3, 4, 5];
  expect(errors).toHaveLength(10);
  expect(new Set(errors.map(({ path }) => path))).toEqual(
    new Set([
      ...indices.map((index) => ['ipConnections', 'nodes', index]),
      ...indices.map((index) => ['ipConnections', 'edges', index, 'node']),
    ]),
  );
  for (const { message, extensions } of errors) {
    expect(extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(message).not.toContain('canary');
  }
});

test('a null within a list is reported, and the rest of the list stays', async ({ gateway, upstream }) => {
  upstream.script(() => rowsReply({ tags: ['a', null, 7, 'b'] }));
  const { data, errors } = await gateway.query('{ ipConnections { nodes { tags } } }');
  expect(data.ipConnections.nodes).toEqual([{ tags: ['a', null, null, 'b'] }]);
  expect(errors.map(({ path }) => path)).toEqual([1, 2].map((index) => ['ipConnections', 'nodes', 0, 'tags', index]));
});
