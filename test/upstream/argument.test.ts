import { describe } from 'vitest';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { chargesSummaryRecord } from '../support/records.ts';
import { pageReply, type Reply } from '../support/scripted-upstream.ts';

const documents = {
  ipConnections: /* GraphQL */ `
    query (
      $filter: IpConnectionFilter
      $orderBy: IpConnectionOrder
      $first: Int
      $last: Int
      $offset: Int
      $after: String
    ) {
      ipConnections(filter: $filter, orderBy: $orderBy, first: $first, last: $last, offset: $offset, after: $after) {
        nodes {
          id
        }
      }
    }
  `,
  webhookDeliveries: /* GraphQL */ `
    query ($filter: WebhookDeliveryFilter) {
      webhookDeliveries(filter: $filter) {
        nodes {
          id
        }
      }
    }
  `,
  chargesBreakdown: /* GraphQL */ `
    query ($startDate: Date = "2026-10-01", $endDate: Date) {
      chargesBreakdown(startDate: $startDate, endDate: $endDate) {
        currency
      }
    }
  `,
};

type Field = keyof typeof documents;
type Row = readonly [variables: object, source: object, argument: readonly (string | number)[] | undefined];

const rows: Readonly<Record<Field, readonly Row[]>> = {
  webhookDeliveries: [
    [
      { filter: { startedAt: { gte: '2026-10-01T00:00:00Z' } } },
      { source: { parameter: 'filter[started_at][gte]' } },
      ['filter', 'startedAt', 'gte'],
    ],
    [
      { filter: { startedAt: { gte: '2026-10-01T00:00:00Z' } } },
      { source: { parameter: 'filter.started_at.gte' } },
      ['filter', 'startedAt', 'gte'],
    ],
    [
      { filter: { startedAt: { gte: '2026-10-01T00:00:00Z', lte: '2026-10-02T00:00:00Z' } } },
      { source: { pointer: '/filter/started_at' } },
      ['filter', 'startedAt'],
    ],
    [{ filter: { status: { eq: 'x' } } }, { source: { parameter: 'filter[status]' } }, ['filter', 'status', 'eq']],
    [{ filter: { eventType: ['a', 'b'] } }, { source: { pointer: '/filter/event_type/1' } }, ['filter', 'eventType']],
    [
      { filter: { webhook: { contains: 'a' } } },
      { source: { pointer: '#/filter/webhook/contains' } },
      ['filter', 'webhook', 'contains'],
    ],
    [
      { filter: { webhook: { contains: 'a' }, attempts: { contains: 'b' } } },
      { source: { parameter: 'filter' } },
      ['filter'],
    ],
    [
      { filter: { attempts: { contains: 'b' } } },
      { source: { parameter: 'filter' } },
      ['filter', 'attempts', 'contains'],
    ],
    [{}, { source: { parameter: 'filter' } }, ['filter']],
    // What was never declared is nobody's fault.
    [{ filter: { status: { eq: 'x' } } }, { source: { parameter: 'filter[nonsense]' } }, undefined],
    [{ filter: { status: { eq: 'x' } } }, { source: { parameter: 'filter[status_code][eq]' } }, undefined],
  ],
  ipConnections: [
    [
      { filter: { connectionName: { eq: 'a' } } },
      { source: { parameter: 'filter[connection_name]' } },
      ['filter', 'connectionName', 'eq'],
    ],
    [
      { filter: { connectionName: { contains: 'a' } } },
      { source: { parameter: 'filter[connection_name]' } },
      ['filter', 'connectionName', 'contains'],
    ],
    [
      { filter: { connectionName: { contains: 'a' } } },
      { source: { parameter: 'filter[connection_name][contains]' } },
      ['filter', 'connectionName', 'contains'],
    ],
    [
      { filter: { connectionName: { contains: 'a' } } },
      { source: { pointer: '/filter/connection_name' } },
      ['filter', 'connectionName', 'contains'],
    ],
    [
      { filter: { connectionName: { eq: 'a' } } },
      { source: { pointer: '/filter/connection_name/eq' } },
      ['filter', 'connectionName', 'eq'],
    ],
    [
      { filter: { outbound: { outboundVoiceProfileId: '7' } } },
      { source: { parameter: 'filter[outbound.outbound_voice_profile_id]' } },
      ['filter', 'outbound', 'outboundVoiceProfileId'],
    ],
    [
      { filter: { outbound: { outboundVoiceProfileId: '7' } } },
      { source: { pointer: '/filter/outbound.outbound_voice_profile_id' } },
      ['filter', 'outbound', 'outboundVoiceProfileId'],
    ],
    [
      { filter: { outboundVoiceProfileId: '7' } },
      { source: { pointer: '/filter/outbound_voice_profile_id' } },
      ['filter', 'outboundVoiceProfileId'],
    ],
    [{ orderBy: { field: 'ACTIVE' } }, { source: { pointer: '/sort' } }, ['orderBy']],
    [{ orderBy: { field: 'ACTIVE' } }, { source: { pointer: '#/sort' } }, ['orderBy']],
    [{ first: 7 }, { source: { parameter: 'page[size]' } }, ['first']],
    [{ first: 7 }, { source: { pointer: '/page/size' } }, ['first']],
    // The largest page is asked for, to learn how long the list is.
    [{ last: 7 }, { source: { parameter: 'page[size]' } }, undefined],
    [{ last: 250 }, { source: { parameter: 'page[size]' } }, undefined],
    // Of a page that takes several of the upstream, or does not begin where one of them does, the gateway chooses the sizes.
    [{ first: 250 }, { source: { parameter: 'page[size]' } }, ['first']],
    [{ first: 250, last: 3 }, { source: { parameter: 'page[size]' } }, ['first']],
    [{ first: 300, last: 250 }, { source: { parameter: 'page[size]' } }, undefined],
    [{ first: 500 }, { source: { parameter: 'page[size]' } }, undefined],
    [{ first: 250, offset: 10 }, { source: { parameter: 'page[size]' } }, undefined],
    [{ first: 500, offset: 0 }, { source: { parameter: 'page[number]' } }, undefined],
    [{ first: 10, offset: 3 }, { source: { parameter: 'page[number]' } }, undefined],
    [{ first: 7, offset: 70 }, { source: { parameter: 'page[number]' } }, ['offset']],
    [{ first: 7, offset: 70 }, { source: { parameter: 'page[size]' } }, ['first']],
    [{}, { source: { parameter: 'page[size]' } }, undefined],
    [{ first: 7 }, { source: { parameter: 'page[number]' } }, undefined],
    [{ first: 7 }, { source: { parameter: 'size' } }, undefined],
    // RFC 6901: ~1 is a slash within a name, ~0 a tilde. No parameter has either.
    [{ filter: { fqdn: 'a' } }, { source: { pointer: '/filter~1fqdn' } }, undefined],
    [{ filter: { fqdn: 'a' } }, { source: { pointer: '/filter/fqdn~01' } }, undefined],
    [{ filter: { fqdn: 'a' } }, { source: { pointer: '/filter/fqdn/a~1b' } }, ['filter', 'fqdn']],
    [{ filter: { fqdn: 'a' } }, { source: { pointer: '#/filter%5Bfqdn%5D' } }, ['filter', 'fqdn']],
    [{ filter: { fqdn: 'a' } }, { source: { parameter: 'filter%5Bfqdn%5D' } }, ['filter', 'fqdn']],
    [{ filter: { fqdn: 'a' } }, { source: { parameter: '100%' } }, undefined],
    [{ filter: { fqdn: 'a' } }, { source: { pointer: '/' } }, undefined],
    [{ filter: { fqdn: 'a' } }, { source: { pointer: '' } }, undefined],
    [{ filter: { fqdn: 'a' } }, { source: { pointer: '/constructor/__proto__' } }, undefined],
    [{ filter: { fqdn: 'a' } }, { source: 'filter' }, undefined],
    [{ filter: { fqdn: 'a' } }, { source: { parameter: 'nonsense', pointer: '/filter/fqdn' } }, ['filter', 'fqdn']],
    [{ filter: { fqdn: 'a' } }, {}, undefined],
  ],
  chargesBreakdown: [
    [{ endDate: '2026-10-02' }, { source: { parameter: 'end_date' } }, ['endDate']],
    [{}, { source: { parameter: 'end_date' } }, ['endDate']],
    [{}, { source: { pointer: '/start_date' } }, ['startDate']],
    [{}, { source: { parameter: 'format' } }, undefined],
  ],
};

const cases = Object.entries(rows).flatMap(([field, list]) => list.map((row) => [field as Field, ...row] as const));

test.for(cases)('%s of %j: %j points at %j', async ([field, variables, error, argument], { gateway, upstream }) => {
  upstream.script(() => ({ status: 400, json: { errors: [{ code: '10015', title: 'Bad Request', ...error }] } }));
  const { errors } = await gateway.query(documents[field], { variables: { ...variables } });
  expect(errors).toHaveLength(1);
  expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect(errors[0].extensions.argument).toEqual(argument);
});

describe('the loc of a validation failure', () => {
  const document =
    'query ($first: Int, $last: Int, $offset: Int) { missions(first: $first, last: $last, offset: $offset) { nodes { id } } }';

  test.for([
    [{ first: 7 }, ['query', 'page[size]'], ['first']],
    [{ first: 7 }, ['query', 'page', 'size'], ['first']],
    [{ first: 7 }, ['page[size]'], ['first']],
    [{ first: 7 }, ['query', 'page[size]', 0], ['first']],
    [{ last: 7 }, ['query', 'page[size]'], undefined],
    [{ first: 7, offset: 14 }, ['query', 'page[number]'], ['offset']],
    [{ first: 7, offset: 14 }, ['query', 'page', 'number'], ['offset']],
    [{ first: 7 }, ['query'], undefined],
    [{ first: 7 }, ['body', 'name'], undefined],
    [{ first: 7 }, [0, 1], undefined],
    [{ first: 7 }, [], undefined],
    [{ first: 7 }, [{}, null, 'page[size]'], ['first']],
  ] as const)('%j: %j points at %j', async ([variables, loc, argument], { gateway, upstream }) => {
    upstream.script(() => ({ status: 422, json: { detail: [{ loc, msg: 'Wrong', type: 'value_error' }] } }));
    const { errors } = await gateway.query(document, { variables });
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions.argument).toEqual(argument);
  });
});

test.for(['after', 'before'] as const)(
  'an error about the page number points at %s',
  async (name, { gateway, upstream }) => {
    const items = Array.from({ length: 90 }, (_, index) => ({ id: String(index) }));
    upstream.script((request) => pageReply(items, request));
    const cursors = await gateway.query('{ ipConnections(first: 1, offset: 60) { pageInfo { endCursor } } }');
    const cursor = cursors.data.ipConnections.pageInfo.endCursor;
    upstream.script(() => ({
      status: 400,
      json: { errors: [{ code: '10015', source: { parameter: 'page[number]' } }] },
    }));
    const { errors } = await gateway.query(
      `{ ipConnections(${name === 'after' ? 'first' : 'last'}: 20, ${name}: "${cursor}") { nodes { id } } }`,
    );
    expect(errors[0].extensions.argument).toEqual([name]);
  },
);

describe('an error about a choice of the gateway blames no argument', () => {
  const refusal = (parameter: string): Reply => ({
    status: 400,
    json: { errors: [{ code: '10015', title: 'Bad Request', source: { parameter } }] },
  });
  const blamed = (errors: readonly Told[]) =>
    Object.fromEntries(errors.map(({ path, extensions }) => [path.join('.'), extensions.argument]));

  interface Told {
    readonly path: readonly (string | number)[];
    readonly extensions: { readonly argument?: unknown };
  }

  test('for the one row that is read to learn the length', async ({ gateway, upstream }) => {
    upstream.script(() => refusal('page[size]'));
    const { errors } = await gateway.query('{ ipConnections(first: 1) { totalCount } }');
    expect(blamed(errors)).toEqual({ ipConnections: undefined });
  });

  test('for the size of pages behind a cursor', async ({ gateway, upstream }) => {
    const items = Array.from({ length: 600 }, (_, index) => ({ id: String(index) }));
    upstream.script((request) => pageReply(items, request));
    const { data } = await gateway.query('{ ipConnections(first: 1, offset: 249) { pageInfo { endCursor } } }');
    upstream.script(() => refusal('page[size]'));
    const { errors } = await gateway.query(
      `{ ipConnections(first: 250, after: "${data.ipConnections.pageInfo.endCursor}") { nodes { id } } }`,
    );
    expect(blamed(errors)).toEqual({ ipConnections: undefined });
  });

  test('for the pages that are read once the upstream has served smaller ones', async ({ gateway, upstream }) => {
    const items = Array.from({ length: 90 }, (_, index) => ({ id: String(index) }));
    for (const parameter of ['page[size]', 'page[number]']) {
      upstream.script((request) =>
        request.query['page[number]'] === '1' ? pageReply(items, request, 20) : refusal(parameter),
      );
      const { errors } = await gateway.query(
        '{ ipConnections(first: 20, offset: 0) { nodes { id } } a: ipConnections(first: 60, offset: 0) { nodes { id } } }',
      );
      expect(blamed(errors)).toEqual({ a: undefined });
    }
  });

  test('for the pages that follow from the size of one that an offset led to', async ({ gateway, upstream }) => {
    const items = Array.from({ length: 90 }, (_, index) => ({ id: String(index) }));
    for (const parameter of ['page[size]', 'page[number]']) {
      upstream.script((request) =>
        request.query['page[size]'] === '30' ? pageReply(items, request, 10) : refusal(parameter),
      );
      const { errors } = await gateway.query('{ ipConnections(first: 30, offset: 30) { nodes { id } } }');
      expect(blamed(errors)).toEqual({ ipConnections: undefined });
    }
  });

  test('for the pages of a look-up, although a list asks for the same one', async ({ gateway, upstream }) => {
    upstream.script(() => refusal('page[size]'));
    const { errors } = await gateway.query(
      '{ ipConnections(first: 250) { nodes { id } } ipConnection(id: "a") { id } webhookDelivery(id: "b") { id } }',
    );
    expect(blamed(errors)).toEqual({ ipConnections: ['first'], ipConnection: undefined, webhookDelivery: undefined });
  });

  test.for([
    'page[size]',
    'page[number]',
    'filter[attempts][contains]',
    'filter[attempts]',
    'filter[webhook][contains]',
  ])('%s of a relation', async (parameter, { gateway, upstream }) => {
    upstream.script((request) =>
      request.path === '/ip_connections'
        ? pageReply([{ id: 'a', webhook_event_url: 'https://a.example.com/' }], request)
        : refusal(parameter),
    );
    const { errors } = await gateway.query(
      '{ ipConnections(first: 1) { nodes { webhookDeliveries(first: 100) { nodes { id } } } } }',
    );
    expect(blamed(errors)).toEqual({ 'ipConnections.nodes.0.webhookDeliveries': undefined });
  });

  test('for the dates at which months begin and end', async ({ gateway, upstream }) => {
    for (const [parameter, expected] of [
      ['start_date', [['startDate'], undefined, undefined]],
      ['end_date', [undefined, undefined, ['endDate']]],
    ] as const) {
      upstream.script(() => refusal(parameter));
      const { errors } = await gateway.query(
        '{ chargesHistory(startDate: "2026-01-15", endDate: "2026-03-10") { currency } }',
      );
      expect(blamed(errors)).toEqual(
        Object.fromEntries(expected.map((argument, index) => [`chargesHistory.${index}`, argument])),
      );
      const byService = await gateway.query(
        '{ chargesHistoryByService(startDate: "2026-01-15", endDate: "2026-03-10") { currency months { summary { currency } } } }',
      );
      expect(new Set(Object.values(blamed(byService.errors)))).toEqual(new Set([undefined]));
    }
  });

  test('for the period before', async ({ gateway, upstream }) => {
    for (const parameter of ['start_date', 'end_date']) {
      upstream.script(({ query }) =>
        query['start_date'] === '2026-10-01' ? { json: { data: chargesSummaryRecord() } } : refusal(parameter),
      );
      const { errors } = await gateway.query(
        '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { previous { currency } } }',
      );
      expect(blamed(errors)).toEqual({ 'chargesSummary.previous': undefined });
    }
  });
});

test.for([
  ['(first: 1, offset: 1)', ['offset']],
  ['(first: 20, offset: 40)', ['offset']],
  // The gateway itself has chosen the page.
  ['(last: 5)', undefined],
  ['(first: 400)', undefined],
] as const)('an error about the page number of %s points at %j', async ([args, expected], { gateway, upstream }) => {
  const items = Array.from({ length: 600 }, (_, index) => ({ id: String(index) }));
  upstream.script((request) =>
    request.query['page[number]'] === '1'
      ? pageReply(items, request)
      : { status: 400, json: { errors: [{ code: '10015', source: { parameter: 'page[number]' } }] } },
  );
  const { errors } = await gateway.query(`{ ipConnections${args} { nodes { id } } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(errors[0].extensions.argument).toEqual(expected);
});
