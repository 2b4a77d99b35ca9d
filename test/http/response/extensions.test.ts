import { expect, judge, testOfFile as test } from '../../support/gateway.ts';
import { healthyReply } from '../../support/records.ts';

const cost = { 'x-cost': '1' };
const explain = { 'x-explain': '1' };
const plain = '{ missions { totalCount } }';
const nothingCalled = '{ __typename }';

type Headers = Readonly<Record<string, string>>;
const none = { rateLimit: null };
const oneCall = { cost: { estimated: 2, upstreamCalls: 1 }, ...none };

test.for<readonly [document: string, headers: Headers, extensions: object | undefined]>([
  [plain, {}, undefined],
  [plain, { 'x-cost': 'true', 'x-explain': '' }, undefined],
  [plain, cost, oneCall],
  [nothingCalled, cost, { cost: { estimated: 0, upstreamCalls: 0 }, ...none }],
  [plain, explain, { explain: [expect.objectContaining({ operation: 'GET /ai/missions', origin: 'own' })] }],
  [nothingCalled, explain, { explain: [] }],
  [plain, { ...cost, ...explain }, { ...oneCall, explain: [expect.anything()] }],
  // A response that is no event has no id.
  [plain, { 'last-event-id': '' }, undefined],
])('%s with %j has the extensions that are asked for, and no others', async (each, { startWith, upstream }) => {
  const [document, headers, extensions] = each;
  upstream.script(healthyReply);
  for (const options of [{}, judge]) {
    const gateway = await startWith({ EXPLAIN: 'true' }, options);
    expect(JSON.parse((await gateway.query(document, { headers })).text).extensions).toEqual(extensions);
  }
});
