import type { ServerResponse } from 'node:http';
import { describe, downloadReport, expect, test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import type { Reply, ScriptedUpstream } from '../../support/scripted-upstream.ts';

const report: Reply = { json: { data: records.chargesBreakdownRecord({ user_email: 'a@example.com' }) } };
const kept = { REPORT_CACHE_MS: '60000' };
const emailOf = (period = '2026-10-01'): string => `{ chargesBreakdown(startDate: "${period}") { userEmail } }`;
const missions = '{ missions { totalCount } }';

const codesOf = ({ errors }: Awaited<ReturnType<Gateway['query']>>): unknown[] =>
  errors.map(({ extensions }) => extensions.code);
const reportCalls = ({ requests }: ScriptedUpstream): number =>
  requests.filter(({ path }) => path === '/charges_breakdown').length;

describe('a report that is kept', () => {
  // What makes the API refuse the key, and what it is asked.
  test.for<[name: string, path: string, ask: (gateway: Gateway) => Promise<unknown>]>([
    ['another list', '/ai/missions', (gateway) => gateway.query(missions)],
    ['the report of another period', '/charges_breakdown', (gateway) => gateway.query(emailOf('2026-09-01'))],
    ['the export', '/charges_breakdown', (gateway) => downloadReport(gateway)],
  ])('is forgotten after a 401 to %s', async ([, path, ask], { startWith, upstream }) => {
    const gateway = await startWith(kept);
    upstream.script(() => report);
    for (const key of ['test-key', 'other-key']) expect((await gateway.query(emailOf(), { key })).errors).toEqual([]);
    upstream.script((request) => (request.path === path ? { status: 401 } : report));
    await ask(gateway);
    upstream.script(() => ({ status: 401 }));
    const before = reportCalls(upstream);
    expect(codesOf(await gateway.query(emailOf()))).toEqual(['UNAUTHENTICATED']);
    // Nobody else's is.
    expect((await gateway.query(emailOf(), { key: 'other-key' })).errors).toEqual([]);
    expect(reportCalls(upstream)).toBe(before + 1);
  });

  test('is forgotten after a 403 to reports, and after no other', async ({ startWith, upstream }) => {
    const gateway = await startWith(kept);
    upstream.script(() => report);
    await gateway.query(emailOf());
    upstream.script(() => ({ status: 403 }));
    expect(codesOf(await gateway.query(missions))).toEqual(['FORBIDDEN']);
    expect((await gateway.query(emailOf())).errors).toEqual([]);
    expect(codesOf(await gateway.query(emailOf('2026-09-01')))).toEqual(['FORBIDDEN']);
    expect(codesOf(await gateway.query(emailOf()))).toEqual(['FORBIDDEN']);
  });
});

describe('a report that is under way when its caller is refused', () => {
  /** Holds reports and answers everything else with a status. */
  function holdReports(upstream: ScriptedUpstream, status: number): ServerResponse[] {
    const held: ServerResponse[] = [];
    upstream.script(({ path }) => (path === '/charges_breakdown' ? { act: (res) => held.push(res) } : { status }));
    return held;
  }
  const give = (res: ServerResponse | undefined): void =>
    void res?.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(report.json));

  test.for(['60000', '0'])('is neither answered nor kept (%s ms)', async (keptMs, { startWith, upstream }) => {
    const gateway = await startWith({ REPORT_CACHE_MS: keptMs });
    const held = holdReports(upstream, 401);
    const waiting = [gateway.query(emailOf()), gateway.query(emailOf())];
    await expect.poll(() => held.length).toBe(1);
    const other = gateway.query(emailOf(), { key: 'other-key' });
    await expect.poll(() => held.length).toBe(2);
    expect(codesOf(await gateway.query(missions))).toEqual(['UNAUTHENTICATED']);
    const late = gateway.query(emailOf());
    await expect.poll(() => held.length).toBe(3);
    give(held[0]);
    for (const answer of await Promise.all(waiting)) {
      expect(answer.data).toEqual({ chargesBreakdown: null });
      expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
    }
    give(held[1]);
    expect((await other).data.chargesBreakdown.userEmail).toBe('a@example.com');
    // The API takes the key again: what it has been asked since is answered, and kept.
    give(held[2]);
    expect((await late).data.chargesBreakdown.userEmail).toBe('a@example.com');
    if (keptMs !== '0') expect((await gateway.query(emailOf())).errors).toEqual([]);
    expect(reportCalls(upstream)).toBe(3);
  });

  test('by a 403 to reports is returned, and not kept', async ({ startWith, upstream }) => {
    const gateway = await startWith(kept);
    const held = holdReports(upstream, 401);
    const first = gateway.query(emailOf());
    await expect.poll(() => held.length).toBe(1);
    const second = gateway.query(emailOf('2026-09-01'));
    await expect.poll(() => held.length).toBe(2);
    held[1]?.writeHead(403).end();
    expect(codesOf(await second)).toEqual(['FORBIDDEN']);
    give(held[0]);
    expect((await first).errors).toEqual([]);
    upstream.script(() => ({ status: 403 }));
    expect(codesOf(await gateway.query(emailOf()))).toEqual(['FORBIDDEN']);
  });
});
