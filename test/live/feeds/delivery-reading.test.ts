import { expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { CancelSource } from '../../../src/cancellation.ts';
import { createLoaders } from '../../../src/lists/loaders.ts';
import { ConnectionChoice, waitAfterFailure } from '../../../src/live/delivery-reading.ts';
import type { Client } from '../../../src/upstream/client.ts';

const waits = (failures: number, told: number | undefined, pollMs = 2_000): readonly number[] =>
  [0, 1].map((random) => {
    const failure = new GatewayError('RATE_LIMITED', {
      message: 'Wait.',
      ...(told !== undefined && { retryAfterSeconds: told }),
    });
    return waitAfterFailure(failure, failures, { pollMs, random: () => random });
  });

test('the wait between polls doubles with each failure, with jitter, up to half a minute', () => {
  expect([1, 2, 3, 4, 5, 5_000].map((failures) => waits(failures, undefined))).toEqual([
    [2_000, 4_000],
    [4_000, 8_000],
    [8_000, 16_000],
    [15_000, 30_000],
    [15_000, 30_000],
    [15_000, 30_000],
  ]);
  expect(waits(3, undefined, 600_000)).toEqual([300_000, 600_000]);
});

test('the wait between polls is as long as the upstream asks for, five minutes at most', () => {
  expect(waits(1, 7)).toEqual([9_000, 11_000]);
  expect(waits(1, 86_400)).toEqual([302_000, 304_000]);
});

test('a connection keeps its deliveries, however often they are read, and its owner is looked for once', async () => {
  let reads = 0;
  const client: Client = {
    async get<Body>() {
      reads++;
      return { rows: [{ id: 'c-1' }, { id: 'c-2' }], meta: { totalResults: 2, pageSize: 250 } } as Body;
    },
    fetch: () => Promise.reject(new Error('Feeds read every answer.')),
    stream: () => Promise.reject(new Error('Nothing is streamed here.')),
  };
  const signal = new CancelSource();
  const caller = { key: 'key', identity: 'key', requestId: 'id', signal, deadline: Infinity, countCall: () => {} };
  const choice = new ConnectionChoice('c-1', { scanPages: 5, overlapMs: 0 });
  const delivery = (id: string | null, connection: string) => ({
    id,
    webhook: { payload: { connection_id: connection } },
  });
  const rows = [delivery('d-1', 'c-1'), delivery('d-2', 'c-2'), delivery(null, 'c-1'), null];
  const wanted: unknown[] = [];
  for (const newest of [[], [delivery('d-3', 'c-2')], [delivery('d-4', 'c-1')]]) {
    rows.unshift(...newest);
    const chosen = await choice.of(rows, createLoaders(client, caller));
    wanted.push(chosen.map((row) => row?.id));
  }
  expect(wanted).toEqual([
    ['d-1', null],
    ['d-1', null],
    ['d-4', 'd-1', null],
  ]);
  expect(reads).toBe(1);
});
