import { afterEach, describe, vi } from 'vitest';
import { createCallerSecrets, type CallerSecrets, type SecretsOf } from '../../src/fleet/caller-secrets.ts';
import { idsOf } from '../live/subscription.ts';
import { subscribe } from '../support/event-stream.ts';
import type { Gateway } from '../support/gateway.ts';
import { GrowingDeliveries } from '../support/growing-deliveries.ts';
import { chargesBreakdownRecord, chargesBreakdownResultRecord, chargesSummaryRecord } from '../support/records.ts';
import type { Reply, ScriptedUpstream, SeenRequest } from '../support/scripted-upstream.ts';
import { expect, test } from './fleet.ts';
import type { Redis } from './redis.ts';
import { contentsOf, tracesIn, watchCommands } from './store-contents.ts';

// What each caller's key gives, as it is, but such that a test can take a part of it away.
vi.mock(import('../../src/fleet/caller-secrets.ts'), async (load) => {
  const original = await load();
  return { ...original, createCallerSecrets: vi.fn<typeof createCallerSecrets>(original.createCallerSecrets) };
});
const { createCallerSecrets: create } = await vi.importActual<typeof import('../../src/fleet/caller-secrets.ts')>(
  '../../src/fleet/caller-secrets.ts',
);
afterEach(() => void vi.mocked(createCallerSecrets).mockReset());

/** Has all gateways that start from now on use changed secrets. */
function plant(change: (secrets: CallerSecrets, key: string) => Partial<CallerSecrets>): void {
  vi.mocked(createCallerSecrets).mockImplementation((scope) => {
    const secretsOf = create(scope);
    const changed = (caller: Parameters<SecretsOf>[0]): CallerSecrets => {
      const secrets = secretsOf(caller);
      return { ...secrets, ...change(secrets, caller.key) };
    };
    return Object.assign(changed, { identityOf: (name: string) => secretsOf.identityOf(name) });
  });
}

const tenants = Array.from({ length: 20 }, (_, index) => `k3y-of-tenant-${String(index).padStart(2, '0')}-Qv7ZpW2xLm`);
const [hasty = '', sick = '', refused = ''] = tenants;
/** Those with streams. */
const following = tenants.slice(3, 6);
const secretRow = (key: string): string => `row-of-${key.slice(7)}-Hn4TsY8b`;
const ownerOf = ({ headers }: SeenRequest): string => String(headers.authorization).replace('Bearer ', '');

const breakdown = `query ($date: Date!) { chargesBreakdown(startDate: $date) { userEmail results(first: 2) { nodes { tn } } } }`;
const summary = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { userEmail } }';
const live = 'subscription { webhookDeliveries { id status } }';

function scriptTenants(upstream: ScriptedUpstream): ReadonlyMap<string, GrowingDeliveries> {
  const deliveries = new Map(tenants.map((key) => [key, new GrowingDeliveries()]));
  const calls = new Map<string, number>();
  upstream.script((request): Reply => {
    const key = ownerOf(request);
    const row = secretRow(key);
    if (request.path === '/webhook_deliveries') return deliveries.get(key)?.answer(request) ?? { status: 401 };
    const call = (calls.get(key) ?? 0) + 1;
    calls.set(key, call);
    // The first call of each key succeeds: what the API does to strangers is not announced.
    if (key === hasty && call % 2 === 0) return { status: 429, headers: { 'retry-after': '1' } };
    if (key === sick && call % 2 === 0) return { status: 500 };
    if (key === refused && call % 2 === 0) return { status: 401 };
    if (request.path === '/charges_summary') return { json: { data: chargesSummaryRecord({ user_email: row }) } };
    const results = Array.from({ length: 300 }, () => chargesBreakdownResultRecord({ tn: row }));
    const { start_date } = request.query;
    return { json: { data: chargesBreakdownRecord({ start_date, user_email: row, results }) } };
  });
  return deliveries;
}

/** Has all tenants ask all gateways for the same at once, some with streams; returns what they got that was not theirs. */
async function mixTenants(gateways: readonly Gateway[], upstream: ScriptedUpstream): Promise<readonly string[]> {
  const deliveries = scriptTenants(upstream);
  const foreign: string[] = [];
  const streams = await Promise.all(
    following.flatMap((key) =>
      gateways.map(async (gateway) => ({ key, stream: await subscribe(gateway, live, { key }) })),
    ),
  );
  const ask = async (key: string, index: number): Promise<void> => {
    const gateway = gateways[index % gateways.length] as Gateway;
    const document = index % 3 === 0 ? summary : breakdown;
    const variables = { date: `2026-10-0${1 + (index % 2)}` };
    const { data, errors } = await gateway.query(document, { key, ...(index % 3 !== 0 && { variables }) });
    const emails = Object.values(data ?? {}).flatMap(
      (field) => (field as { userEmail?: string } | null)?.userEmail ?? [],
    );
    if (emails.some((email) => email !== secretRow(key))) foreign.push(`${key} got ${emails.join(', ')}`);
    if (errors.length > 0 && ![hasty, sick, refused].includes(key))
      foreign.push(`${key} was refused: ${errors[0].message}`);
  };
  for (let round = 0; round < 12; round++) {
    for (const key of following) deliveries.get(key)?.add([10 + round], { status: secretRow(key) });
    await Promise.all(tenants.map((key, index) => ask(key, index + round)));
  }
  for (const { key, stream } of streams) {
    const own = deliveries.get(key)?.rows.map(({ id }) => id) ?? [];
    await expect.poll(() => idsOf(stream).length).toBe(own.length);
    for (const { data } of stream.events)
      if (data.data.webhookDeliveries.status !== secretRow(key)) foreign.push(`a stream of ${key} got another's row`);
    stream.close();
  }
  return foreign;
}

/** Where anything that has been in the store shows a key or a row. */
async function leaksOf(redis: Redis, lines: readonly string[]): Promise<readonly string[]> {
  const all = [...(await contentsOf(redis)), Buffer.from(lines.join('\n'))];
  return tenants.flatMap((key) =>
    [key, secretRow(key)].flatMap((canary) => all.flatMap((bytes) => tracesIn(bytes, canary))),
  );
}

const env = { SUBSCRIPTION_POLL_MS: '300', REPORT_CACHE_MS: '60000' };

describe('twenty tenants at three replicas with one store', () => {
  test('get their own rows alone, and no key and no row is in the store', async ({ redis, startFleet, upstream }) => {
    const gateways = await startFleet(3, env);
    const watched = await watchCommands(redis);
    expect(await mixTenants(gateways, upstream)).toEqual([]);
    // Everything has been shared.
    const kinds = new Set(watched.lines.flatMap((line) => [...line.matchAll(/\}:([\w-]+)/g)].map(([, kind]) => kind)));
    for (const kind of ['reports', 'feed', 'notices']) expect(kinds).toContain(kind);
    expect(await leaksOf(redis, watched.lines)).toEqual([]);
    watched.end();
  });

  test('would be found to leak without sealing', async ({ redis, startFleet, upstream }) => {
    plant(() => ({ seal: (_place, bytes) => bytes, open: (_place, sealed) => sealed }));
    const gateways = await startFleet(3, env);
    const watched = await watchCommands(redis);
    await mixTenants(gateways, upstream);
    const shows = (bytes: Buffer): boolean => tenants.some((key) => tracesIn(bytes, secretRow(key)).length > 0);
    const reports = (await contentsOf(redis)).filter(shows);
    const messages = watched.lines.filter((line) => tenants.some((key) => line.includes(secretRow(key))));
    // On a fast machine all new deliveries of a list are in one message.
    expect(messages.length).toBeGreaterThanOrEqual(following.length);
    expect(reports.length).toBeGreaterThan(5);
    expect(await leaksOf(redis, watched.lines)).not.toEqual([]);
    watched.end();
  });

  test('would be found to leak their keys by names that hide nothing', async ({ redis, startFleet, upstream }) => {
    plant((_secrets, key) => ({ name: key }));
    const gateways = await startFleet(3, env);
    const watched = await watchCommands(redis);
    await mixTenants(gateways, upstream);
    expect(await leaksOf(redis, watched.lines)).not.toEqual([]);
    watched.end();
  });

  test('would get rows of others if all had one name and one seal', async ({ startFleet, upstream }) => {
    const shared = create('anything')({ key: 'anybody', identity: 'anybody' });
    plant(() => shared);
    const gateways = await startFleet(3, env);
    expect(await mixTenants(gateways, upstream)).not.toEqual([]);
  });
});
