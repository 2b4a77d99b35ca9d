import {
  getNamedType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe } from 'vitest';
import { bodyValues } from '../../src/http/request/body-reader.ts';
import { argumentTextBytes, representationsPerField } from '../../src/bounds.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { expect, judge, startGateway, testOfFile as test, type Gateway } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { pageReply, startScriptedUpstream, type Script, type ScriptedUpstream } from '../support/scripted-upstream.ts';

type Path = readonly (string | number)[];

/** A text among the arguments of a field. */
interface TextArgument {
  readonly type: GraphQLObjectType;
  readonly field: string;
  readonly path: Path;
  readonly scalar: string;
}

const texts = new Set(['String', 'ID', 'Date', 'DateTime', 'Decimal']);

function textsIn(type: GraphQLInputType, path: Path): readonly { readonly path: Path; readonly scalar: string }[] {
  const named = getNamedType(type);
  const own = isListType('ofType' in type ? type.ofType : type) || isListType(type) ? [...path, 0] : path;
  if (isInputObjectType(named))
    return Object.values(named.getFields()).flatMap((field) => textsIn(field.type, [...own, field.name]));
  return texts.has(named.name) ? [{ path: own, scalar: named.name }] : [];
}

/** Every one that the schema has: what is added to it is tested without being named here. */
const textArguments: readonly TextArgument[] = Object.values(createSchema().getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) =>
    Object.values(type.getFields()).flatMap(({ name: field, args }) =>
      args.flatMap((arg) => textsIn(arg.type, [arg.name]).map((text) => ({ type, field, ...text }))),
    ),
  );

const period = { startDate: '2026-10-01', endDate: '2026-11-01' };
const currency = ['chargesSummary', 'chargesForecast', 'chargesHistory', 'chargesBreakdown'];
const selections: Readonly<Record<string, string>> = {
  ...Object.fromEntries(currency.map((field) => [field, '{ currency }'])),
  ...Object.fromEntries(['ipConnection', 'mission', 'webhookDelivery'].map((field) => [field, '{ id }'])),
  totals: '{ cost }',
  deliveryCounts: '{ buckets { total } }',
  deliveryFailures: '{ examined }',
  chargesHistoryByService: '{ months { startDate } }',
  chargesBreakdownCsv: '{ content }',
  node: '{ nodeId }',
};

function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${membersOf(value)} }`;
}

function membersOf(value: object): string {
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${literalOf(member)}`)
    .join(', ');
}

function withText(path: Path, text: string): unknown {
  return path.reduceRight<unknown>((inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), text);
}

/** With those that the field needs besides. */
function argumentsOf(field: string, given: Readonly<Record<string, unknown>>): string {
  if (field !== 'deliveryCounts')
    return `(${membersOf({ ...(field.startsWith('charges') && !('month' in given) && period), ...given })})`;
  const startedAt = { gte: '2026-10-01T00:00:00Z', lte: '2026-10-02T00:00:00Z', ...(given['startedAt'] as object) };
  return `(${membersOf({ ...given, startedAt })}, interval: DAY)`;
}

/** A query that gives one argument of one field this text, and the path of the field in its response. */
function queryWith({ type, field, path }: TextArgument, text: string): readonly [query: string, path: Path] {
  const args = argumentsOf(field, withText(path, text) as Readonly<Record<string, unknown>>);
  const selection = selections[field] ?? '{ totalCount }';
  if (type.name === 'IpConnection')
    return [`{ ipConnections { nodes { ${field}${args} { nodes { id } } } } }`, ['ipConnections', 'nodes', 0, field]];
  if (type.name === 'ChargesBreakdown')
    return [`{ chargesBreakdown(${membersOf(period)}) { ${field}${args} ${selection} } }`, ['chargesBreakdown', field]];
  if (type.name === 'Subscription') return [`subscription { ${field}${args} { __typename } }`, [field]];
  return [`{ ${field}${args} ${selection} }`, [field]];
}

const healthy: Script = (request) => {
  if (request.path === '/ip_connections') return pageReply([records.ipConnectionRecord()], request);
  if (request.path === '/charges_breakdown') return { json: { data: records.chargesBreakdownRecord() } };
  return pageReply([], request);
};

const nameOf = ({ type, field, path }: TextArgument): string => `${type.name}.${field}(${path.join('.')})`;
// A list of identifiers is reported item by item.
const single = textArguments.filter(({ field }) => field !== 'nodes');

test('the schema has text arguments of every kind', () => {
  expect(single.length).toBeGreaterThan(30);
  expect([...new Set(textArguments.map(({ scalar }) => scalar))].sort()).toEqual(['Date', 'DateTime', 'ID', 'String']);
});

let shared: ScriptedUpstream;
let gateways: readonly Gateway[];
beforeAll(async () => {
  shared = await startScriptedUpstream();
  shared.script(healthy);
  gateways = await Promise.all([{}, judge].map((options) => startGateway(shared.baseUrl, {}, options)));
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await shared.close();
});

describe.for(single.map((argument) => [nameOf(argument), argument] as const))('%s', ([, argument]) => {
  const isStream = argument.type.name === 'Subscription';
  const send = (gateway: Gateway, text: string) =>
    gateway.post(
      { query: queryWith(argument, text)[0] },
      { authorization: 'Bearer good', ...(isStream && { accept: 'text/event-stream' }) },
    );

  test('is refused beyond its bound, without being quoted, before any call', async () => {
    for (const gateway of gateways) {
      for (const text of ['x'.repeat(argumentTextBytes + 1), '€'.repeat(Math.ceil((argumentTextBytes + 1) / 3))]) {
        shared.requests.length = 0;
        const [, path] = queryWith(argument, text);
        const body = await (await send(gateway, text)).text();
        const { errors } = JSON.parse(/\{.*\}/.exec(body)?.[0] ?? '{}');
        const message = `${argument.path.join('.')} must be at most ${argumentTextBytes} bytes of UTF-8.`;
        const extensions = { code: 'BAD_USER_INPUT', retryable: false, argument: argument.path };
        expect(errors).toMatchObject([{ path, message, extensions }]);
        expect(body).not.toMatch(/xxx|€/);
        expect(body.length).toBeLessThan(1_000);
        // What leads to a nested field is called as ever.
        expect(shared.requests.length).toBe(path.length > 1 ? 1 : 0);
      }
    }
  });

  test('is accepted up to its bound', async () => {
    for (const text of ['x'.repeat(argumentTextBytes), `${'€'.repeat(1_365)}x`]) {
      const reader = (await send(gateways[0] as Gateway, text)).body?.getReader();
      const { value } = (await reader?.read()) ?? {};
      await reader?.cancel();
      expect(Buffer.from(value ?? []).toString()).not.toContain('bytes of UTF-8');
    }
  });
});

const query = (items: readonly string[]) =>
  `{ webhookDeliveries(filter: { eventType: ${JSON.stringify(items)} }) { totalCount } }`;

test.for([
  [2, 'x'.repeat(3_000)],
  [100, 'x'.repeat(50)],
  [2_900, ''],
] as const)('a list of texts of %i items has the bound of one text', async ([length, item], { gateway, upstream }) => {
  upstream.script(healthy);
  const items = Array.from({ length }, () => item);
  // As many as a body may hold, with room for its other members.
  const variables = { items: Array.from({ length: bodyValues - 100 }, () => item.slice(0, 5)) };
  const given = 'query ($items: [String!]) { webhookDeliveries(filter: { eventType: $items }) { totalCount } }';
  const responses = [await gateway.query(query(items)), await gateway.query(given, { variables })];
  const isShort = items.join(',').length <= argumentTextBytes;
  const message = `filter.eventType must be at most ${argumentTextBytes} bytes of UTF-8 together.`;
  const refused = { message, extensions: { code: 'BAD_USER_INPUT', argument: ['filter', 'eventType'] } };
  for (const [index, { errors }] of responses.entries())
    expect(errors).toMatchObject(index === 0 && isShort ? [] : [refused]);
  expect(upstream.requests.length).toBe(isShort ? 1 : 0);
});

const entities = 'query ($refs: [_Any!]!) { _entities(representations: $refs) { __typename } }';

test('a list of identifiers is refused whole where it is too long', async ({ startWith, upstream }) => {
  const gateway = await startWith({ LIMIT_COST: '100000000' });
  const refs = Array.from({ length: representationsPerField + 1 }, () => ({ __typename: 'Mission', id: 'x' }));
  const { errors } = await gateway.query(entities, { variables: { refs } });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['representations'] } }]);
  expect(upstream.requests).toEqual([]);
});
