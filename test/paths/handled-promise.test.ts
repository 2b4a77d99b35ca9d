import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Context } from '../../src/graphql/context.ts';
import { KnownNodes } from '../../src/graphql/identity/node-id.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';

const unhandled: unknown[] = [];
const note = (cause: unknown): void => void unhandled.push(cause);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(() => void process.off('unhandledRejection', note));

const schema = createSchema(readTypeDefs());
const failing = (): Promise<never> => Promise.reject(new Error('The call failed.'));
const context = {
  loaders: { load: failing, once: failing, rowsOf: failing },
  knownNodes: new KnownNodes(),
  costs: new WeakMap(),
  noteHint: () => {},
  lookUps: { refusal: null, find: failing, findEach: failing },
  scanPages: 1,
  exposeSecrets: false,
} as unknown as Context;
const fieldNodes = [{ directives: [], arguments: [] }];
const info = { fieldNodes, fragments: {}, variableValues: {}, path: { key: 'a' } };

const months = { startDate: '2026-05-01', endDate: '2026-11-01' };
const month = { startDate: '2026-10-01', endDate: '2026-11-01' };
const cases: readonly (readonly [type: string, field: string, args: object, source?: object])[] = [
  ['Query', 'chargesSummary', month],
  ['Query', 'chargesBreakdown', month],
  ['Query', 'chargesHistory', months],
  ['Query', 'ipConnections', {}],
  ['Query', 'ipConnection', { id: 'x' }],
  ['Query', 'nodes', { nodeIds: ['x', Buffer.from('["Mission","x",null]').toString('base64url')] }],
  ['Query', '_entities', { representations: [{ __typename: 'Mission', id: 'x' }, null, 7] }],
  ['ChargesHistoryByService', 'services', {}, { months: [month] }],
  ['ChargesMonth', 'summary', {}, month],
  ['IpConnection', 'webhookDeliveries', {}, { webhook_event_url: 'https://hooks.example.com' }],
  ['WebhookDelivery', 'ipConnection', {}, { attempts: [{ http: { request: { url: 'https://hooks.example.com' } } }] }],
];

test.for(cases)(
  'a rejected promise of %s.%s is handled where no executor awaits it',
  async ([type, field, args, source]) => {
    const parentType = schema.getType(type) as GraphQLObjectType;
    const fields = parentType.getFields();
    const given = { ...info, parentType, fieldName: field } as unknown as GraphQLResolveInfo;
    const returned: unknown = fields[field]?.resolve?.(source, args, context, given);
    const promises = [returned].flat().filter((one) => one instanceof Promise);
    expect(promises.length).toBeGreaterThan(0);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(unhandled).toEqual([]);
    // To await it still throws.
    const settled = await Promise.allSettled(promises);
    if (field !== 'services') expect(settled.map(({ status }) => status)).toContain('rejected');
  },
);
