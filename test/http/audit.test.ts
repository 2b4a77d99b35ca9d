import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
let gateway: Gateway;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  gateway = await startGateway(upstream.baseUrl);
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const audits = serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn: fetch });

test('holds all of the audits', () => {
  expect(audits.length).toBeGreaterThanOrEqual(61);
});

test.for(audits)('GraphQL over HTTP $id: $name', async ({ name, fn }, { skip }) => {
  const result = await fn();
  if (result.status !== 'ok' && name.startsWith('MAY')) skip(`not done, and need not be: ${result.reason}`);
  expect(result).toMatchObject({ status: 'ok' });
  expect(upstream.requests).toEqual([]);
});
