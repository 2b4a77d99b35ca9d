import { expect, testOfFile as test } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const everything =
  '{ missions(first: 3) { nodes { id name createdAt updatedAt description model instructions metadata } } }';

test('a mission shows every field, and its mission_id as id', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([records.missionRecord({ id: 'not this one' })], request));
  const { data, errors } = await gateway.query(everything);
  expect(errors).toEqual([]);
  expect(data.missions.nodes).toEqual([
    {
      id: '0b9f7c52-6a0e-4c57-8e6f-1d2a3b4c5d6e',
      name: 'Appointment reminders',
      createdAt: '2026-01-15T09:30:00Z',
      updatedAt: '2026-10-02T14:05:11.000001Z',
      description: 'Calls patients the day before',
      model: 'a-model/of-some-size',
      instructions: 'Confirm the appointment and offer two other times.',
      metadata: { team: 'support', retries: 3 },
    },
  ]);
  expect(upstream.requests.map(({ path, query }) => [path, Object.keys(query)])).toEqual([
    ['/ai/missions', ['page[number]', 'page[size]']],
  ]);
});

test('a mission shows fields that were not sent as null', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([{}, { mission_id: null, metadata: null }], request));
  const { data, errors } = await gateway.query(everything);
  expect(errors).toEqual([]);
  for (const node of data.missions.nodes) expect(new Set(Object.values(node))).toEqual(new Set([null]));
});

test('a record with an unknown field named then is not taken for a promise', async ({ gateway, upstream }) => {
  const metadata: unknown = JSON.parse('{"then":{"then":1}}');
  const row = { ...records.missionRecord({ metadata }), ...JSON.parse('{"then":"later"}') };
  upstream.script((request) => pageReply([row], request));
  const { data, errors } = await gateway.query('{ missions { nodes { id metadata } edges { node { metadata } } } }');
  expect(errors).toEqual([]);
  expect(data.missions.nodes).toEqual([{ id: row.mission_id, metadata }]);
  expect(data.missions.edges).toEqual([{ node: { metadata } }]);
});
