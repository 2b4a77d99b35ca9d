import type { ServerResponse } from 'node:http';
import { describe, downloadReport, expect, test, type Gateway } from '../../support/gateway.ts';
import {
  HeldReplies,
  actAndStandStill,
  type ScriptedUpstream,
  type SeenRequest,
} from '../../support/scripted-upstream.ts';
import { subscribe } from '../../support/streams.ts';

const named = (name: string | number): string => `{ ipConnections(filter: { fqdn: "${name}" }) { nodes { id } } }`;
const nameOf = ({ query }: SeenRequest): string => query['filter[fqdn]'] ?? '';
const list = { json: { data: [], meta: { total_results: 0 } } };
const csv = { 'content-type': 'text/csv' };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** An upstream that holds its calls, but those of good keys, until it is told to answer those that it has. */
function hold(upstream: ScriptedUpstream) {
  const held = new HeldReplies();
  upstream.script(({ headers: { authorization = '' }, path }) => {
    if (!authorization.startsWith('Bearer good')) return held.reply;
    return path === '/charges_breakdown' ? { text: 'tn\n', headers: csv } : list;
  });
  return { held, answerAll: (status = 200) => held.release(status, list.json) };
}

/** Starts queries that wait for the upstream, and notes the refusals as they come. */
function ask(gateway: Gateway, key: string, names: readonly (string | number)[]) {
  const refusals: unknown[] = [];
  const answers = names.map(async (name) => {
    const { errors } = await gateway.query(named(name), { key });
    if (errors.length > 0) refusals.push(errors[0]);
    return errors.length === 0;
  });
  return { refusals, answers: Promise.all(answers) };
}

/** Has the API accept keys, since callers whose key may be made up share a quarter of everything. */
async function accept(gateway: Gateway, upstream: ScriptedUpstream, keys: readonly string[]): Promise<void> {
  upstream.script(() => list);
  for (const key of keys) expect((await gateway.query(named('hello'), { key })).errors).toEqual([]);
}

describe('the bulkhead', () => {
  test('gives the next slot to who has none, before a hundred calls', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '1', UPSTREAM_QUEUE_SIZE: '100' });
    await accept(gateway, upstream, ['busy', 'other']);
    const { held, answerAll } = hold(upstream);
    // One under way, a hundred that wait, and one too many, which tells that the queue is full.
    const busy = ask(gateway, 'busy', numbers(102));
    await expect.poll(() => busy.refusals.length).toBe(1);
    const extensions = { code: 'UPSTREAM_UNAVAILABLE', retryable: true, retryAfterSeconds: 1 };
    expect(busy.refusals).toMatchObject([{ path: ['ipConnections'], extensions }]);
    // The full queue makes room for another caller at the cost of who fills it.
    const other = ask(gateway, 'other', ['single']);
    await expect.poll(() => busy.refusals.length).toBe(2);
    expect(upstream.requests).toHaveLength(2 + 1);
    answerAll();
    await expect.poll(() => held.size).toBe(1);
    expect(upstream.requests.map(nameOf)[3]).toBe('single');
    upstream.script(() => list);
    answerAll();
    expect(await other.answers).toEqual([true]);
    expect((await busy.answers).filter((isAnswered) => isAnswered)).toHaveLength(100);
  });

  test('keeps a slot for who has none while calls of others do not end', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '16', UPSTREAM_QUEUE_SIZE: '0' });
    await accept(gateway, upstream, ['busy', 'next', 'other']);
    const { held, answerAll } = hold(upstream);
    const busy = ask(gateway, 'busy', numbers(40));
    await expect.poll(() => held.size + busy.refusals.length).toBe(40);
    // An idle gateway is nearly all its own.
    expect(held.size).toBe(14);
    const next = ask(gateway, 'next', numbers(40));
    await expect.poll(() => held.size + busy.refusals.length + next.refusals.length).toBe(80);
    expect(held.size).toBe(15);
    const other = ask(gateway, 'other', ['single']);
    await expect.poll(() => held.size).toBe(16);
    answerAll();
    await Promise.all([busy.answers, next.answers]);
    expect(await other.answers).toEqual([true]);
  });

  test('gives the slot that came free while the process stood still', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '1', UPSTREAM_QUEUE_TIMEOUT_MS: '500' });
    const { held, answerAll } = hold(upstream);
    const first = gateway.query(named('first'));
    await expect.poll(() => held.size).toBe(1);
    const second = gateway.query(named('second'));
    await actAndStandStill(answerAll, 600);
    await expect.poll(() => held.size).toBe(1);
    answerAll();
    expect([...(await first).errors, ...(await second).errors]).toEqual([]);
  });
});

describe('an export in the bulkhead', () => {
  // On a busy machine a slot that is released may be there a moment after the end of its report.
  const settings = { UPSTREAM_MAX_CONCURRENCY: '4', UPSTREAM_QUEUE_TIMEOUT_MS: '1000' };

  /** Begins reports that do not end until they are told to; lists are answered at once. */
  function holdReports(upstream: ScriptedUpstream): ServerResponse[] {
    const reports: ServerResponse[] = [];
    const act = (res: ServerResponse): void => {
      reports.push(res);
      res.writeHead(200, csv).write('tn\n');
    };
    upstream.script(({ path }) => (path === '/charges_breakdown' ? { act } : list));
    return reports;
  }

  test('leaves slots for others, however many exports a few callers begin', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '32', UPSTREAM_QUEUE_TIMEOUT_MS: '50' });
    holdReports(upstream);
    const open: Response[] = [];
    async function begin(key: string): Promise<number> {
      const all = await Promise.all(numbers(16).map(() => downloadReport(gateway, key)));
      const begun = all.filter(({ status }) => status === 200);
      open.push(...begun);
      return begun.length;
    }
    // Of sixteen, each has half of what the others before have left.
    for (const [key, count] of Object.entries({ a: 8, b: 4, c: 2, d: 1 })) expect(await begin(key)).toBe(count);
    // Known by now: a caller whose key may be made up does not get the last slot.
    expect((await gateway.query(named('e'), { key: 'e' })).errors).toEqual([]);
    expect(await begin('e')).toBe(1);
    for (const { body } of open) await body?.cancel();
  });

  test.for(['it ends', 'its reader leaves'])('releases its slot when %s', async (how, { startWith, upstream }) => {
    const gateway = await startWith(settings);
    const reports = holdReports(upstream);
    const first = await downloadReport(gateway, 'a');
    expect((await downloadReport(gateway, 'a')).status).toBe(503);
    const closed = new Promise((resolve) => reports[0]?.on('close', resolve));
    if (how === 'it ends') reports[0]?.end();
    else await first.body?.cancel();
    await closed;
    expect((await downloadReport(gateway, 'a')).status).toBe(200);
    reports[1]?.end();
  });

  test('releases its slot when nobody reads', async ({ startWith, upstream }) => {
    const patient = { UPSTREAM_MAX_CONCURRENCY: '2', UPSTREAM_QUEUE_TIMEOUT_MS: '30000' };
    const gateway = await startWith({ ...patient, RESPONSE_STALL_TIMEOUT_MS: '300' });
    const text = 'x'.repeat(12_000_000);
    upstream.script(() => ({ headers: csv, text }));
    const unread = await downloadReport(gateway, 'a');
    expect((await (await downloadReport(gateway, 'a')).text()).length).toBe(text.length);
    await expect(unread.text()).rejects.toThrow('terminated');
  });
});

describe('callers whose key the API has not accepted', () => {
  test('share a quarter of the slots and of the queue', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '8', UPSTREAM_QUEUE_SIZE: '8' });
    await accept(gateway, upstream, ['good']);
    const { held, answerAll } = hold(upstream);
    const codes: string[] = [];
    const asked = numbers(40).map(async (n) => {
      const { errors } = await gateway.query(named(n), { key: `made-up-${n}` });
      codes.push(errors[0]?.extensions.code);
    });
    await expect.poll(() => [held.size, codes.length]).toEqual([2, 36]);
    expect(codes).toEqual(Array(36).fill('UPSTREAM_UNAVAILABLE'));
    expect(await ask(gateway, 'good', numbers(11)).answers).not.toContain(false);
    expect((await downloadReport(gateway, 'good')).status).toBe(200);
    for (let round = 0; round < 2; round++) {
      await expect.poll(() => held.size).toBe(2);
      answerAll(401);
    }
    await Promise.all(asked);
    expect(codes.slice(36)).toEqual(Array(4).fill('UNAUTHENTICATED'));
  });

  test('share a quarter of the polled lists and of the streams', async ({ startWith, upstream }) => {
    const bounds = { SUBSCRIPTION_MAX_FEEDS: '8', SUBSCRIPTION_MAX_STREAMS: '16', SUBSCRIPTION_POLL_MS: '600000' };
    const gateway = await startWith(bounds);
    const good = ['good-1', 'good-2', 'good-3'];
    await accept(gateway, upstream, good);
    const { held, answerAll } = hold(upstream);
    const follow = (key: string) => subscribe(gateway, 'subscription { webhookDeliveries { id } }', { key });
    const expectRefusal = async (key: string): Promise<void> => {
      const { ended, events } = await follow(key);
      await ended;
      expect(events[0]?.data.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    };
    const first = [follow('made-up-1'), follow('made-up-2')];
    await expect.poll(() => held.size).toBe(2);
    await expectRefusal('made-up-3');
    // Four streams are the share of one caller and that of all strangers.
    const more = [follow('made-up-1'), follow('made-up-1')];
    await expect.poll(async () => (await gateway.fetch('/metrics')).text()).toContain('switchboard_streams 4');
    await expectRefusal('made-up-2');
    for (const stream of await Promise.all(good.map(follow))) {
      await stream.begun;
      stream.close();
    }
    answerAll(401);
    for (const stream of await Promise.all([...first, ...more])) await stream.ended;
  });
});
