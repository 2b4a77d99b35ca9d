import { largeBody } from '../../src/bounds.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { samplesOf, scrape } from '../support/metrics.ts';
import * as records from '../support/records.ts';
import type { Reply } from '../support/scripted-upstream.ts';

const missions = '{ missions { nodes { name } } }';
const pageOf = (...rows: readonly object[]): Reply => ({ json: { data: rows, meta: { total_results: rows.length } } });

const cases: Readonly<Record<string, { readonly query: string; readonly reply: Reply }>> = {
  selection: { query: '{ ipConnection(id: "c") { id } }', reply: pageOf(records.ipConnectionRecord({ id: 'c' })) },
  response: { query: missions, reply: { status: 404 } },
  size: { query: missions, reply: pageOf(records.missionRecord({ name: 'x'.repeat(largeBody) })) },
  body: { query: missions, reply: pageOf(records.missionRecord({ name: 7 })) },
  rows: { query: '{ missions { edges { cursor } } }', reply: pageOf(records.missionRecord({ mission_id: '' })) },
};

/** How many operations were given up, by reason. */
async function givenUpBy(gateway: Gateway): Promise<Readonly<Record<string, number>>> {
  const samples = samplesOf(await scrape(gateway)).filter(({ name }) => name === 'switchboard_bytes_given_up_total');
  return Object.fromEntries(samples.map(({ labels, value }) => [labels['reason'], value]));
}

test.for(Object.entries(cases))(
  'what is not written from bytes is counted by reason: %s',
  async ([reason, { query, reply }], { gateway, upstream }) => {
    upstream.script(() => reply);
    await gateway.query(query);
    expect(await givenUpBy(gateway)).toEqual({ [reason]: 1 });
    expect(upstream.requests).toHaveLength(1);
  },
);
