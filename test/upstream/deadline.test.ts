import type { ServerResponse } from 'node:http';
import { describe, downloadReport, expect, test } from '../support/gateway.ts';
import { healthyReply } from '../support/records.ts';
import { actAndStandStill, hang, pageReply, stall, watched, type Reply } from '../support/scripted-upstream.ts';

const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const json = { 'content-type': 'application/json' };
const timedOut = { extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } };

// No other limit strikes before the test itself is given up. A connection that is not made in time: retry.test.ts.
const patient = { UPSTREAM_TIMEOUT_MS: '300000', OPERATION_TIMEOUT_MS: '300000' };

/** A body without end, by and by. */
function drip(res: ServerResponse, status = 200): void {
  res.writeHead(status, json).write('{"data":');
  const timer = setInterval(() => res.write(' '), 5);
  res.on('close', () => clearInterval(timer));
}

describe('an upstream attempt', () => {
  test.for<[string, Reply, Record<string, string>]>([
    ['stalls in its body', stall('{"data":', { headers: json }), { ...patient, UPSTREAM_STALL_TIMEOUT_MS: '50' }],
    ['gives no answer in its time', hang, { ...patient, UPSTREAM_TIMEOUT_MS: '500' }],
    ['drips until its time is up', { act: drip }, { ...patient, UPSTREAM_TIMEOUT_MS: '500' }],
  ])('that %s is cut', async ([, slow, settings], { startWith, upstream }) => {
    const gateway = await startWith(settings);
    const { reply, left } = watched(slow);
    upstream.script(() => reply);
    expect((await gateway.query(document)).errors).toMatchObject([timedOut]);
    await left;
    expect(upstream.requests).toHaveLength(1);
  });

  test('reads a body that takes several times as long as it may stall', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_STALL_TIMEOUT_MS: '400' });
    upstream.script((request) => ({
      act: (res) => {
        const body = JSON.stringify(healthyReply(request).json);
        res.writeHead(200, json);
        let sent = 0;
        const timer = setInterval(() => {
          if (sent < 25) return res.write(body.charAt(sent++));
          clearInterval(timer);
          return res.end(body.slice(sent));
        }, 40);
      },
    }));
    expect((await gateway.query(document)).errors).toEqual([]);
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
          if (begun > 0) res.writeHead(200, json).write(body.slice(0, begun));
          void actAndStandStill(() => res.end(body.slice(begun)), 1_200);
        },
      }));
      expect((await gateway.query(document)).errors).toEqual([]);
    },
  );
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
    const query = '{ ipConnection(id: "nowhere") { id } missions(first: 20) { nodes { id } } }';
    const { data, errors } = await gateway.query(query);
    expect(data).toMatchObject({ ipConnection: null, missions: { nodes: [{}] } });
    const message = expect.stringContaining('1500 ms');
    expect(errors).toMatchObject([{ path: ['ipConnection'], message, ...timedOut }]);
    expect(errors[0].extensions.upstream).toEqual({ operation: 'GET /ip_connections' });
    expect(held).toBe(4);
    await expect.poll(() => cut).toBe(4);
    expect(upstream.requests).toHaveLength(1 + 3 + 4);
  });

  test('holds for an export that has not begun, or is none', async ({ startWith, upstream }) => {
    for (const [setting, slow] of [
      ['OPERATION_TIMEOUT_MS', hang],
      ['OPERATION_TIMEOUT_MS', { act: drip }],
      // That of an attempt holds until the report begins, and for the whole of anything else.
      ['UPSTREAM_TIMEOUT_MS', hang],
      ['UPSTREAM_TIMEOUT_MS', { act: drip }],
      ['UPSTREAM_TIMEOUT_MS', { act: (res: ServerResponse) => drip(res, 404) }],
    ] as const) {
      const gateway = await startWith({ ...patient, [setting]: '500' });
      const { reply, left } = watched(slow);
      upstream.script(() => reply);
      const response = await downloadReport(gateway);
      expect([response.status, await response.json()]).toMatchObject([504, { errors: [timedOut] }]);
      await left;
    }
  });

  test('does not hold for a report that has begun', async ({ startWith, upstream }) => {
    const gateway = await startWith({ OPERATION_TIMEOUT_MS: '500' });
    upstream.script(() => ({
      act: (res) => {
        res.writeHead(200, { 'content-type': 'text/csv' }).write('tn\n');
        setTimeout(() => res.end('1\n'), 1_200);
      },
    }));
    expect(await (await downloadReport(gateway)).text()).toBe('tn\n1\n');
  });
});
