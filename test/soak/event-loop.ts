import { listening, startProgram } from '../support/program.ts';
import * as records from '../support/records.ts';
import { pageReply, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { selectionOf } from '../support/selection.ts';
import { createSoakClient } from './client.ts';
import { look } from './look.ts';

// Prints how long single queries hold the gateway's event loop. By hand: npx -c 'node test/soak/event-loop.ts'
const numbers = 20_000;
const rounds = 10;
const rows = 500;

const lists: Readonly<Record<string, readonly unknown[]>> = {
  '/ip_connections': Array.from({ length: rows }, (_, index) => records.ipConnectionRecord({ id: `c${index}` })),
  '/ai/missions': Array.from({ length: rows }, (_, index) => records.missionRecord({ mission_id: `m${index}` })),
  '/webhook_deliveries': Array.from({ length: rows }, (_, index) => records.webhookDeliveryRecord({ id: `d${index}` })),
};
const report = JSON.stringify({
  data: records.chargesBreakdownRecord({
    results: Array.from({ length: numbers }, (_, index) =>
      records.chargesBreakdownResultRecord({ tn: `+1312${String(index).padStart(7, '0')}` }),
    ),
  }),
});

const breakdown = (fields: string): string =>
  `{ chargesBreakdown(startDate: "2026-10-01") { results(first: 500) { ${fields} } } }`;
const all = (field: string, record: records.JsonRecord): string =>
  `{ ${field}(first: ${rows}) { nodes ${selectionOf(record)} } }`;
const bomb = (levels: number): string =>
  Array.from(
    { length: levels },
    (_, n) => `fragment F${n} on Mission { ${n + 1 < levels ? `...F${n + 1} ...F${n + 1}` : 'id'} }`,
  ).join(' ');

const queries: Readonly<Record<string, string>> = {
  'nothing at all': '{ __typename }',
  'breakdown of 20,000 numbers, a page of 500': breakdown(
    `nodes ${selectionOf(records.chargesBreakdownResultRecord())}`,
  ),
  'breakdown of 20,000 numbers, their count': breakdown('totalCount'),
  '500 connections, all fields': all('ipConnections', records.ipConnectionRecord()),
  '500 missions, all fields': all('missions', records.missionRecord()),
  '500 deliveries, all fields': all('webhookDeliveries', records.webhookDeliveryRecord()),
  'hostile: fragments that double 30 times': `{ missions { nodes { ...F0 } } } ${bomb(30)}`,
  'hostile: 20,000 aliases': `{ ${Array.from({ length: 20_000 }, (_, n) => `a${n}: missions { totalCount }`).join(' ')} }`,
  'hostile: one field 30,000 times': `{ missions { nodes { ${'id '.repeat(30_000)} } } }`,
  'hostile: 900 unlike names, near the token limit': `{ ${Array.from({ length: 900 }, (_, n) => `mission${n}`).join(' ')} }`,
  'hostile: one field 900 times': `{ ${'missions { nodes { id } } '.repeat(40)} missions { nodes { ${'id '.repeat(900)} } } }`,
  'hostile: 990 inline fragments in each other': `${'{...'.repeat(990)}{__typename}${'}'.repeat(990)}`,
  'hostile: nested 100,000 deep': `${'{a'.repeat(100_000)}${'}'.repeat(100_000)}`,
  'hostile: a megabyte of junk': 'x '.repeat(500_000),
};

function median(figures: readonly number[]): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

const upstream = await startScriptedUpstream();
upstream.script((request) => {
  const list = lists[request.path];
  return list === undefined
    ? { text: report, headers: { 'content-type': 'application/json' } }
    : pageReply(list, request, request.path === '/ai/missions' ? 1_000 : 250);
});
const gateway = startProgram('test/soak/gateway.ts', {
  PORT: '0',
  LOG_LEVEL: 'error',
  UPSTREAM_BASE_URL: upstream.baseUrl,
});
try {
  const [, url = ''] = await gateway.printed(listening);
  const client = createSoakClient(url, 1);
  const ask = (query: string) =>
    client.send({ path: '/graphql', key: 'a-key', body: JSON.stringify({ query }), isGraphql: true });
  const table: Record<string, object> = {};
  for (const [name, query] of Object.entries(queries)) {
    await ask(query);
    await look(gateway);
    const endings = [];
    const delays: number[] = [];
    for (let round = 0; round < rounds; round++) {
      endings.push(await ask(query));
      delays.push((await look(gateway)).longestDelayMs);
    }
    const times = endings.map(({ milliseconds }) => Math.round(milliseconds));
    const { outcome = 'lost', text = '' } = endings[0] ?? {};
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
    table[name] = {
      'delay, median, ms': median(delays),
      'longest, ms': Math.max(...delays),
      'answer, median, ms': median(times),
      outcome,
      code,
    };
  }
  client.close();
  console.table(table);
} finally {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
}
