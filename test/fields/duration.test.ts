import { describe, expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { pageReply, type ScriptedUpstream } from '../support/scripted-upstream.ts';

interface Times {
  readonly started_at?: unknown;
  readonly finished_at?: unknown;
}

const document = '{ webhookDeliveries(first: 250) { nodes { durationMs attempts { durationMs status } } } }';

/** What the gateway says that deliveries with these times took. Their only attempts have the same times. */
async function durationsOf(all: readonly Times[], gateway: Gateway, upstream: ScriptedUpstream) {
  const rows = all.map((times, index) =>
    records.webhookDeliveryRecord({
      id: `delivery-${index}`,
      started_at: undefined,
      finished_at: undefined,
      ...times,
      attempts: [{ status: 'delivered', ...times }],
    }),
  );
  upstream.script((request) => pageReply(rows, request));
  const { data, errors } = await gateway.query(document);
  return { nodes: data.webhookDeliveries.nodes as readonly { durationMs: number | null }[], errors };
}

const day = '2026-10-02';

describe('the duration of a delivery and of its attempts', () => {
  // A text stands for what goes with an error.
  test.for<readonly [started: unknown, finished: unknown, expected: number | null | 'beyond an Int']>([
    [`${day}T14:05:11.25Z`, `${day}T14:05:12.5Z`, 1_250],
    // Half a millisecond is rounded away from zero, and anything less towards it.
    [`${day}T14:05:11.000000Z`, `${day}T14:05:11.000500Z`, 1],
    [`${day}T14:05:11.000000000Z`, `${day}T14:05:11.000499999Z`, 0],
    [`${day}T14:05:11.000500Z`, `${day}T14:05:11Z`, -1],
    // The same moment in several forms.
    [`${day}T14:05:11`, `${day}T14:05:12`, 1_000],
    ['2026-12-31T23:59:59Z', '2026-12-31T23:59:60.5Z', 1_500],
    // The most that an Int can hold, and the least.
    ['1970-01-01T00:00:00Z', '1970-01-25T20:31:23.647Z', 2 ** 31 - 1],
    ['1970-01-25T20:31:23.648Z', '1970-01-01T00:00:00Z', -(2 ** 31)],
    ['1970-01-01T00:00:00Z', '1970-01-25T20:31:23.648Z', 'beyond an Int'],
    ['9999-12-31T23:59:59Z', '0000-01-01T00:00:00+23:59', 'beyond an Int'],
    // Only one of them has a zone.
    [`${day}T14:05:11`, `${day}T14:05:12Z`, null],
    [`${day}T14:05:11Z`, null, null],
    [day, `${day}T14:05:12Z`, null],
  ])('from %s to %s is %s', async ([started, finished, expected], { gateway, upstream }) => {
    const times = { started_at: started, finished_at: finished };
    const { nodes, errors } = await durationsOf([times], gateway, upstream);
    const isBeyond = typeof expected === 'string';
    const durationMs = isBeyond ? null : expected;
    expect(nodes).toEqual([{ durationMs, attempts: [{ durationMs, status: 'delivered' }] }]);
    const places = isBeyond ? [['durationMs'], ['attempts', 0, 'durationMs']] : [];
    expect(errors).toMatchObject(
      places.map((place) => ({
        path: ['webhookDeliveries', 'nodes', 0, ...place],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
      })),
    );
    expect(upstream.requests).toHaveLength(1);
  });
});
