import { isNonNullType, printType, type GraphQLField } from 'graphql';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const schema = createSchema(readTypeDefs());

function signatureOf({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const texts = args.map((arg) => {
    const fallback = arg.defaultValue === undefined ? '' : ` = ${JSON.stringify(arg.defaultValue)}`;
    return `${arg.name}: ${String(arg.type)}${fallback}`;
  });
  return `${name}(${texts.join(', ')}): ${String(type)}`;
}

function signaturesOf(type: string): readonly string[] {
  const found = schema.getType(type);
  return found !== undefined && 'getFields' in found
    ? Object.values(found.getFields() as Record<string, GraphQLField<unknown, unknown>>).map(signatureOf)
    : [];
}

const page = 'first: Int, after: String, last: Int, before: String';

// Clients and supergraphs elsewhere are written against these, in this spelling.
test.for<[type: string, signatures: readonly string[]]>([
  [
    'Query',
    [
      'chargesSummary(startDate: Date!, endDate: Date!): ChargesSummary',
      'chargesBreakdown(startDate: Date!, endDate: Date): ChargesBreakdown',
      'chargesBreakdownCsv(startDate: Date!, endDate: Date): ChargesBreakdownCsv',
      'chargesHistory(startDate: Date!, endDate: Date!): [ChargesSummary]',
      'chargesForecast(month: Date!, months: Int = 6): ChargesForecast',
      `ipConnections(${page}, offset: Int, filter: IpConnectionFilter, orderBy: IpConnectionOrder): IpConnectionConnection`,
      `missions(${page}, offset: Int): MissionConnection`,
      `webhookDeliveries(${page}, offset: Int, filter: WebhookDeliveryFilter): WebhookDeliveryConnection`,
      'deliveryCounts(filter: WebhookDeliveryFilter, startedAt: DateTimeRangeFilter!, interval: Interval!, statuses: [String!]): DeliveryCounts',
      'deliveryFailures(filter: WebhookDeliveryFilter, first: Int = 10): DeliveryFailures',
      'ipConnection(id: ID!): IpConnection',
      'mission(id: ID!): Mission',
      'webhookDelivery(id: ID!): WebhookDelivery',
      'node(nodeId: ID!): Node',
      'nodes(nodeIds: [ID!]!): [Node]',
    ],
  ],
  [
    'Subscription',
    [
      'webhookDeliveries(filter: WebhookDeliveryFilter): WebhookDelivery!',
      'deliveryFeed(after: String, filter: WebhookDeliveryFilter): DeliveryFeedEvent!',
    ],
  ],
  ['IpConnection', [`webhookDeliveries(${page}, filter: WebhookDeliveryFilter): WebhookDeliveryConnection`]],
  ['WebhookDelivery', ['ipConnection(): IpConnection']],
  ['WebhookDeliveryAttempt', ['errors(): [Int]', 'errorDetails(): [AttemptError!]']],
  ['AttemptError', ['code(): Int', 'title(): String', 'detail(): String']],
])('%s has the fields that are promised, with their arguments', ([type, signatures]) => {
  expect(signaturesOf(type)).toEqual(expect.arrayContaining([...signatures]));
});

test('unions and orders have the members that are promised', () => {
  const printed = ['SummaryLine', 'DeliveryFeedEvent', 'Interval', 'IpConnectionOrder'].map((name) => {
    const type = schema.getType(name);
    return type === undefined ? name : printType(type).replaceAll(/"""[^]*?"""|\s+/g, ' ');
  });
  for (const [index, words] of [
    ['SimpleLine', 'ComparativeLine'],
    ['DeliveryArrived', 'FeedStateChanged'],
    ['HOUR', 'DAY', 'WEEK'],
    ['field: IpConnectionOrderField!', 'direction: OrderDirection! = ASC'],
  ].entries())
    for (const word of words) expect(printed[index]).toContain(word);
});

test('one failing call costs its own field alone: no field of Query is non-null', () => {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  expect(fields.filter(({ name, type }) => isNonNullType(type) && !name.startsWith('_'))).toEqual([]);
});

test.for(['ipConnections', 'missions', 'webhookDeliveries'])(
  'a page of %s has 20 rows by default, 500 at most',
  async (field, { gateway, upstream }) => {
    const rows = Array.from({ length: 700 }, (_, index) => ({ id: `r${index}`, mission_id: `r${index}` }));
    upstream.script((request) => pageReply(rows, request, field === 'missions' ? 1_000 : 250));
    const read = async (args: string) => gateway.query(`{ list: ${field}${args} { nodes { id } } }`);
    for (const [args, length] of [
      ['', 20],
      ['(first: 500)', 500],
      ['(last: 500)', 500],
    ] as const)
      expect([args, (await read(args)).data.list.nodes.length]).toEqual([args, length]);
    const before = upstream.requests.length;
    for (const args of [
      '(first: 501)',
      '(last: 501)',
      '(first: -1)',
      '(offset: 1, after: "x")',
      '(last: 1, offset: 1)',
    ]) {
      const { data, errors } = await read(args);
      expect([args, data]).toEqual([args, { list: null }]);
      expect(errors).toMatchObject([{ path: ['list'], extensions: { retryable: false } }]);
    }
    expect(upstream.requests).toHaveLength(before);
  },
);
