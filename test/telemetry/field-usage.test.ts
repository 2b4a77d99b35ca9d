import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FieldUsage, namesOfClients, namesOfOneCaller } from '../../src/telemetry/metrics.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { all, growing, idsOf, quick } from '../live/subscription.ts';
import { subscribe } from '../support/streams.ts';
import { temporaryFolder } from '../support/files.ts';
import { directs, valuesBy } from '../support/metrics.ts';
import { expect, judge, test, type Gateway } from '../support/gateway.ts';
import { healthyReply } from '../support/records.ts';
import { callTool } from '../support/tool-client.ts';

const folder = temporaryFolder();
const named = (name: string) => ({ 'apollographql-client-name': name });
const old = 'IpConnectionFilter.outboundVoiceProfileId';

/** The counts by client and coordinate: `web Query.missions`. */
const counts = (gateway: Gateway) => valuesBy(gateway, 'switchboard_field_usage_total', 'client', 'coordinate');

const warnings = (gateway: Gateway): readonly string[] =>
  gateway.log.filter((line) => line.includes('deprecated field in use'));

test.for([
  { way: 'by plans', options: {} },
  { way: 'by graphql-js', options: judge },
])('each operation counts its fields once, $way', async ({ options }, { startWith, upstream }) => {
  upstream.script(healthyReply);
  writeFileSync(join(folder, 'trusted.graphql'), '{ missions { totalCount } }');
  const gateway = await startWith({ FIELD_USAGE: 'true', PERSISTED_OPERATIONS: folder }, options);
  const text = '{ a: missions { totalCount } b: missions(first: 2) { totalCount __typename } }';
  for (let times = 0; times < 2; times++) await gateway.query(text, { headers: named('web') });
  const phone = { authorization: 'Bearer test-key', ...named('phone') };
  await (await gateway.fetch('/graphql?documentId=trusted', { headers: phone })).text();
  const pieces = { query: '{ ... @defer { missions { totalCount } } }' };
  await (await gateway.post(pieces, { ...phone, accept: 'multipart/mixed' })).text();
  await gateway.query('{ __typename missions { totalCount } __schema { types { name } } }');
  // Nothing has accepted the key of a request without a call.
  await gateway.query('{ nodes(nodeIds: []) { __typename } }', { headers: named('stranger') });
  expect(await directs(gateway)).toBe(5);
  expect(await counts(gateway)).toEqual({
    'web Query.missions': 2,
    'web MissionConnection.totalCount': 2,
    'phone Query.missions': 2,
    'phone MissionConnection.totalCount': 2,
    'unnamed Query.missions': 1,
    'unnamed MissionConnection.totalCount': 1,
    'other Query.nodes': 1,
  });
});

test('a tool counts what its operation uses, and a stream what each event uses', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const gateway = await startWith({ ...quick, FIELD_USAGE: 'true', MCP: 'true' });
  const stream = await subscribe(gateway, all, { headers: named('live') });
  for (const second of [10, 11]) {
    const [id] = deliveries.add([second]);
    await expect.poll(() => idsOf(stream).at(-1)).toBe(id);
  }
  stream.close();
  await callTool(gateway, 'deliveries', {}, { headers: named('agent') });
  expect(await counts(gateway)).toMatchObject({
    'live Subscription.webhookDeliveries': 2,
    'live WebhookDelivery.id': 2,
    'agent Query.webhookDeliveries': 1,
  });
});

test('a deprecated field in use is logged once for a client, without the key', async ({ startWith, upstream }) => {
  upstream.script(healthyReply);
  const gateway = await startWith({ FIELD_USAGE: 'true' });
  const query = `{ ipConnections(filter: { outboundVoiceProfileId: "1" }) { totalCount } }`;
  for (const name of ['web', 'web', 'phone']) await gateway.query(query, { headers: named(name) });
  const lines = warnings(gateway).map((line) => JSON.parse(line));
  expect(lines.map(({ coordinate, clientName }) => [coordinate, clientName])).toEqual([
    [old, 'web'],
    [old, 'phone'],
  ]);
  expect(lines[0]).toMatchObject({ requestId: expect.any(String), reason: expect.stringContaining('outbound') });
  expect(warnings(gateway).join()).not.toContain('test-key');
  expect(await counts(gateway)).toMatchObject({ [`web ${old}`]: 2, [`phone ${old}`]: 1 });
});

test('who has no key that the API accepts makes no name known', async ({ startWith, upstream }) => {
  const gateway = await startWith({ FIELD_USAGE: 'true' });
  const text = '{ missions { totalCount } }';
  upstream.script(() => ({ status: 401, json: { errors: [{ code: '10009', title: 'Authentication failed' }] } }));
  await gateway.query(text, { headers: named('made up') });
  await gateway.query(text, { headers: named('made up'), key: null });
  upstream.script(healthyReply);
  await gateway.query(text, { headers: named('web') });
  const found = await counts(gateway);
  expect(found).toMatchObject({ 'other Query.missions': 2, 'web Query.missions': 1 });
  expect(Object.keys(found).join()).not.toContain('made up');
});

test('one key makes few names known, and all keys together a bounded number', () => {
  const counted = new Map<string, number>();
  const usage = new FieldUsage(
    (_coordinate, client) => void counted.set(client, (counted.get(client) ?? 0) + 1),
    createLog('silent', { write: () => true }),
  );
  const fields = new Map([['A.b', null]]);
  const use = (name: string, authorization: string): void =>
    usage.note(fields, { name, authorization, isAccepted: true }, {});
  for (let index = 0; index < 1_000; index++) use(`greedy ${index}`, 'Bearer greedy');
  expect(counted.size).toBe(namesOfOneCaller + 1);
  use('web', 'Bearer other');
  for (let index = 0; index < 1_000; index++) use(`many ${index}`, `Bearer ${index}`);
  expect(counted.size).toBe(namesOfClients + 1);
  use('web', 'Bearer another');
  expect(counted.get('web')).toBe(2);
});
