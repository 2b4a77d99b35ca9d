import { zstdDecompressSync } from 'node:zlib';
import { createClient } from 'redis';
import { idsOf } from '../live/subscription.ts';
import { canariesIn } from '../support/canary.ts';
import { subscribe } from '../support/streams.ts';
import type { Gateway } from '../support/gateway.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import { chargesBreakdownRecord, chargesBreakdownResultRecord, chargesSummaryRecord } from '../support/records.ts';
import type { Reply, ScriptedUpstream, SeenRequest } from '../support/scripted-upstream.ts';
import { expect, test } from './fleet.ts';
import type { Redis } from './redis.ts';

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

/** Everything that a Redis holds: keys, fields and values, as they are stored. */
async function contentsOf(redis: Redis): Promise<readonly Buffer[]> {
  const keys = (await redis.send('KEYS', '*')) as readonly Buffer[];
  const values = await Promise.all(
    keys.map(async (key) => {
      const type = String(await redis.send('TYPE', key));
      if (type === 'hash') return redis.send('EVAL', "return redis.call('HGETALL', KEYS[1])", '1', key);
      throw new Error(`This test does not know the type ${type}.`);
    }),
  );
  return [...keys, ...buffersIn(values)];
}

function buffersIn(value: unknown): readonly Buffer[] {
  if (Buffer.isBuffer(value)) return [value];
  return Array.isArray(value) ? value.flatMap(buffersIn) : [];
}

/** Records every command that a Redis gets, messages to channels included, as Redis prints them. */
async function watchCommands(redis: Redis) {
  const lines: string[] = [];
  const client = createClient({ url: redis.url });
  client.on('error', () => {});
  await client.connect();
  await client.monitor((line) => void lines.push(line));
  return { lines, end: () => client.destroy() };
}

const compressed = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Where bytes show a canary in any spelling, compressed or not. */
function tracesIn(bytes: Buffer, canary: string): readonly string[] {
  const traces = [...canariesIn(bytes.toString('latin1'), canary)];
  for (let at = bytes.indexOf(compressed); at >= 0; at = bytes.indexOf(compressed, at + 1)) {
    try {
      traces.push(...canariesIn(zstdDecompressSync(bytes.subarray(at)).toString('latin1'), canary));
    } catch {
      // Four bytes that look like a beginning by chance.
    }
  }
  return traces;
}

const env = { SUBSCRIPTION_POLL_MS: '300', REPORT_CACHE_MS: '60000' };

test('twenty tenants at three replicas with one store get their own rows alone, and no key and no row is in the store', async ({
  redis,
  startFleet,
  upstream,
}) => {
  const gateways = await startFleet(3, env);
  const watched = await watchCommands(redis);
  expect(await mixTenants(gateways, upstream)).toEqual([]);
  // Everything has been shared.
  const kinds = new Set(watched.lines.flatMap((line) => [...line.matchAll(/\}:([\w-]+)/g)].map(([, kind]) => kind)));
  for (const kind of ['reports', 'feeds', 'notices']) expect(kinds).toContain(kind);
  const stored = [...(await contentsOf(redis)), Buffer.from(watched.lines.join('\n'))];
  for (const canary of tenants.flatMap((key) => [key, secretRow(key)]))
    expect(stored.flatMap((bytes) => tracesIn(bytes, canary))).toEqual([]);
  watched.end();
});
