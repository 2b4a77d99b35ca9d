import type { ServerResponse } from 'node:http';
import { describe, vi } from 'vitest';
import { CancelSource, createDeadlines } from '../../src/cancellation.ts';
import { expect, test } from '../support/gateway.ts';
import { healthyReply } from '../support/root-fields.ts';
import { pageReply, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { actAndStandStill } from '../support/standstill.ts';

const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const csv = '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01';
const headers = { authorization: 'Bearer test-key' };

// No other limit strikes before the test itself is given up.
const patient = { UPSTREAM_TIMEOUT_MS: '300000', OPERATION_TIMEOUT_MS: '300000' };

async function timed<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const started = performance.now();
  const result = await run();
  return { result, milliseconds: performance.now() - started };
}

/** Has every call do the same, and tells of those that have been cut off. */
function actAlike(upstream: ScriptedUpstream, act: (res: ServerResponse) => void): { readonly closed: number[] } {
  const closed: number[] = [];
  upstream.script(() => ({
    act: (res) => {
      res.on('close', () => closed.push(performance.now()));
      act(res);
    },
  }));
  return { closed };
}

const beginAnswer = (res: ServerResponse): void => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.write('{"data":');
};

describe('an upstream attempt', () => {
  test('fails when its body stalls, long before its time is up', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...patient, UPSTREAM_STALL_TIMEOUT_MS: '50' });
    const { closed } = actAlike(upstream, beginAnswer);
    const { errors } = await gateway.query(document);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } }]);
    await expect.poll(() => closed.length).toBe(1);
  });

  test('reads a body that takes several times as long as it may stall', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_STALL_TIMEOUT_MS: '400' });
    upstream.script((request) => ({
      act: (res) => {
        const body = JSON.stringify(healthyReply(request).json);
        res.writeHead(200, { 'content-type': 'application/json' });
        let sent = 0;
        const drip = setInterval(() => {
          if (sent < 25) res.write(body.charAt(sent++));
          else {
            clearInterval(drip);
            res.end(body.slice(sent));
          }
        }, 40);
      },
    }));
    const { result, milliseconds } = await timed(() => gateway.query(document));
    expect(result.errors).toEqual([]);
    expect(milliseconds).toBeGreaterThan(800);
  });

  test.for([
    ['a body that had begun', { UPSTREAM_STALL_TIMEOUT_MS: '1000' }, 5],
    ['an attempt', { UPSTREAM_TIMEOUT_MS: '1000' }, 0],
    ['an operation', { OPERATION_TIMEOUT_MS: '1000' }, 0],
  ] as const)(
    'reads what came while the process stood still before it gives %s up',
    async ([, settings, begun], { startWith, upstream }) => {
      const gateway = await startWith(settings);
      upstream.script((request) => ({
        act: (res) => {
          const body = JSON.stringify(healthyReply(request).json);
          if (begun > 0) res.writeHead(200, { 'content-type': 'application/json' }).write(body.slice(0, begun));
          void actAndStandStill(() => res.end(body.slice(begun)), 1_200);
        },
      }));
      expect((await gateway.query(document)).errors).toEqual([]);
    },
  );

  test('reads the head of a report that came while the process stood still', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_TIMEOUT_MS: '1000' });
    const report = (res: ServerResponse): void => void res.writeHead(200, { 'content-type': 'text/csv' }).end('tn\n');
    upstream.script(() => ({ act: (res) => void actAndStandStill(() => report(res), 1_200) }));
    expect(await (await gateway.fetch(csv, { headers })).text()).toBe('tn\n');
  });

  test.for<[string, (res: ServerResponse) => void]>([
    ['gives no answer', () => {}],
    [
      'drips',
      (res) => {
        beginAnswer(res);
        const drip = setInterval(() => res.write(' '), 5);
        res.on('close', () => clearInterval(drip));
      },
    ],
  ])('that %s is cut when its time is up', async ([, act], { startWith, upstream }) => {
    const gateway = await startWith({ ...patient, UPSTREAM_TIMEOUT_MS: '500' });
    const { closed } = actAlike(upstream, act);
    const { result, milliseconds } = await timed(() => gateway.query(document));
    expect(result.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } }]);
    expect(milliseconds).toBeGreaterThanOrEqual(499);
    await expect.poll(() => closed.length).toBe(1);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('the deadline of an operation', () => {
  test('ends all calls that are under way, and keeps what was answered', async ({ startWith, upstream }) => {
    const gateway = await startWith({ OPERATION_TIMEOUT_MS: '1500' });
    const rows = Array.from({ length: 10_000 }, (_, n) => ({ id: `row-${n}` }));
    let held = 0;
    let cut = 0;
    upstream.script((request) => {
      if (request.path !== '/ip_connections') return healthyReply(request);
      // The scan reads one page, then two, then four side by side: these four never come.
      if (Number(request.query['page[number]']) < 4) return pageReply(rows, request);
      return {
        act: (res) => {
          held++;
          res.on('close', () => cut++);
        },
      };
    });
    const { result, milliseconds } = await timed(() =>
      gateway.query('{ ipConnection(id: "nowhere") { id } missions(first: 20) { nodes { id } } }'),
    );
    expect(result.data).toMatchObject({ ipConnection: null, missions: { nodes: [{}] } });
    expect(result.errors).toMatchObject([
      {
        path: ['ipConnection'],
        message: expect.stringContaining('1500 ms'),
        extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true, upstream: { operation: 'GET /ip_connections' } },
      },
    ]);
    expect(milliseconds).toBeGreaterThanOrEqual(1_499);
    expect(held).toBe(4);
    await expect.poll(() => cut).toBe(4);
    expect(upstream.requests).toHaveLength(1 + 3 + 4);
  });

  test('holds for the beginning of an export', async ({ startWith, upstream }) => {
    const gateway = await startWith({ OPERATION_TIMEOUT_MS: '500' });
    const { closed } = actAlike(upstream, () => {});
    const response = await gateway.fetch(csv, { headers });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UPSTREAM_TIMEOUT' } }] });
    await expect.poll(() => closed.length).toBe(1);
  });

  test('does not hold for a report that has begun', async ({ startWith, upstream }) => {
    const gateway = await startWith({ OPERATION_TIMEOUT_MS: '500' });
    upstream.script(() => ({
      act: (res) => {
        res.writeHead(200, { 'content-type': 'text/csv' });
        res.write('tn\n');
        setTimeout(() => res.end('1\n'), 1_200);
      },
    }));
    expect(await (await gateway.fetch(csv, { headers })).text()).toBe('tn\n1\n');
  });

  test('aborts in its turn, a tenth of its time late at most, and not once it is lifted', () => {
    vi.useFakeTimers();
    try {
      const stopping = new CancelSource();
      const beginDeadline = createDeadlines(200, stopping);
      const begin = () => beginDeadline({ signal: new CancelSource(), whenEnded: () => {} });
      const [first, lifted] = [begin(), begin()];
      lifted.lift();
      vi.advanceTimersByTime(150);
      const last = begin();
      vi.advanceTimersByTime(49);
      expect([first, lifted, last].map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
      vi.advanceTimersByTime(21);
      expect([first, lifted, last].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
      vi.advanceTimersByTime(150);
      expect(last.signal.reason).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
      expect(vi.getTimerCount()).toBe(0);
      const [late, liftedToo] = [begin(), begin()];
      liftedToo.lift();
      stopping.abort(new Error('stop'));
      for (const each of [lifted, late, liftedToo, begin()]) expect(each.signal.reason).toEqual(new Error('stop'));
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends with the exchange, and does not begin after it', () => {
    const leaving = new AbortController();
    const ends: (() => void)[] = [];
    const exchange = { signal: leaving.signal, whenEnded: (run: () => void) => void ends.push(run) };
    const beginDeadline = createDeadlines(60_000);
    const answered = beginDeadline(exchange);
    for (const end of ends.splice(0)) end();
    expect(answered.signal.aborted).toBe(true);
    const left = beginDeadline(exchange);
    leaving.abort(new Error('gone'));
    for (const end of ends.splice(0)) end();
    expect(left.signal.reason).toEqual(new Error('gone'));
    expect(beginDeadline(exchange).signal.reason).toEqual(new Error('gone'));
    expect(ends).toEqual([]);
  });
});
