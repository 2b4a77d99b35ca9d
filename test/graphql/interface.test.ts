import { isNonNullType } from 'graphql';
import { createSchema } from '../../src/resources/schema.ts';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const schema = createSchema();

// What else the interface promises, the printed schema has: `npm run check` lists what breaks clients.

test('one failing call costs its own field alone: no field of Query is non-null', () => {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  expect(fields.filter(({ name, type }) => isNonNullType(type) && !name.startsWith('_'))).toEqual([]);
});

const lists = ['ipConnections', 'missions', 'webhookDeliveries'];
test.for(lists)('a page of %s has 20 rows by default, 500 at most', async (field, { gateway, upstream }) => {
  const rows = Array.from({ length: 700 }, (_, index) => ({ id: `r${index}`, mission_id: `r${index}` }));
  upstream.script((request) => pageReply(rows, request, field === 'missions' ? 1_000 : 250));
  const read = async (args: string) =>
    gateway.query(`{ list: ${field}${args} { nodes { id } pageInfo { endCursor } } }`);
  for (const [args, length] of [
    ['', 20],
    ['(first: 500)', 500],
    ['(last: 500)', 500],
  ] as const)
    expect([args, (await read(args)).data.list.nodes.length]).toEqual([args, length]);
  const { endCursor } = (await read('')).data.list.pageInfo;
  const before = upstream.requests.length;
  for (const args of [
    '(first: 501)',
    '(last: 501)',
    '(first: -1)',
    `(first: 1, offset: 1, after: "${endCursor}")`,
    '(last: 1, offset: 1)',
  ]) {
    const { data, errors } = await read(args);
    expect([args, data]).toEqual([args, { list: null }]);
    expect(errors).toMatchObject([{ path: ['list'], extensions: { retryable: false } }]);
  }
  expect(upstream.requests).toHaveLength(before);
});
