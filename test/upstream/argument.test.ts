import { expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { chargesSummaryRecord } from '../support/records.ts';
import { pageReply, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

/** A refusal that blames a parameter, or with a slash a pointer. */
const refusal = (place: string | object): Reply => {
  const isPointer = typeof place === 'string' && (place === '' || /^#?\//.test(place));
  const source = typeof place === 'object' ? place : { [isPointer ? 'pointer' : 'parameter']: place };
  return { status: 400, json: { errors: [{ code: '10015', title: 'Bad Request', source }] } };
};

/** The arguments that the errors of a query blame, by their paths. */
async function blamed(gateway: Gateway, query: string): Promise<Readonly<Record<string, string | undefined>>> {
  const { errors } = await gateway.query(query);
  for (const { extensions } of errors) expect(extensions.code).toBe('BAD_USER_INPUT');
  return Object.fromEntries(errors.map(({ path, extensions }) => [path.join('.'), extensions.argument?.join('.')]));
}

type Row = readonly [args: string, place: string | object, argument: string | undefined];
const since = '"2026-10-01T00:00:00Z"';

const rows: Readonly<Record<string, readonly Row[]>> = {
  webhookDeliveries: [
    [`(filter: { startedAt: { gte: ${since} } })`, 'filter[started_at][gte]', 'filter.startedAt.gte'],
    [`(filter: { startedAt: { gte: ${since} } })`, 'filter.started_at.gte', 'filter.startedAt.gte'],
    [`(filter: { startedAt: { gte: ${since}, lte: ${since} } })`, '/filter/started_at', 'filter.startedAt'],
    ['(filter: { status: { eq: "x" } })', 'filter[status]', 'filter.status.eq'],
    ['(filter: { eventType: ["a", "b"] })', '/filter/event_type/1', 'filter.eventType'],
    ['(filter: { webhook: { contains: "a" } })', '#/filter/webhook/contains', 'filter.webhook.contains'],
    ['(filter: { webhook: { contains: "a" }, attempts: { contains: "b" } })', 'filter', 'filter'],
    ['(filter: { attempts: { contains: "b" } })', 'filter', 'filter.attempts.contains'],
    ['', 'filter', 'filter'],
    // What was never declared is nobody's fault.
    ['(filter: { status: { eq: "x" } })', 'filter[nonsense]', undefined],
    ['(filter: { status: { eq: "x" } })', 'filter[status_code][eq]', undefined],
  ],
  ipConnections: [
    ['(filter: { connectionName: { eq: "a" } })', 'filter[connection_name]', 'filter.connectionName.eq'],
    ['(filter: { connectionName: { contains: "a" } })', 'filter[connection_name]', 'filter.connectionName.contains'],
    ['(filter: { connectionName: { eq: "a" } })', '/filter/connection_name/eq', 'filter.connectionName.eq'],
    [
      '(filter: { outbound: { outboundVoiceProfileId: "7" } })',
      '/filter/outbound.outbound_voice_profile_id',
      'filter.outbound.outboundVoiceProfileId',
    ],
    ['(filter: { outboundVoiceProfileId: "7" })', '/filter/outbound_voice_profile_id', 'filter.outboundVoiceProfileId'],
    ['(orderBy: { field: ACTIVE })', '#/sort', 'orderBy'],
    ['(first: 7)', 'page[size]', 'first'],
    // The largest page is asked for, to learn how long the list is.
    ['(last: 7)', 'page[size]', undefined],
    // Of a page that takes several of the upstream, or does not begin where one of them does, the gateway chooses the sizes.
    ['(first: 250)', 'page[size]', 'first'],
    ['(first: 250, last: 3)', 'page[size]', 'first'],
    ['(first: 300, last: 250)', 'page[size]', undefined],
    ['(first: 500)', 'page[size]', undefined],
    ['(first: 10, offset: 3)', 'page[number]', undefined],
    ['(first: 7, offset: 70)', 'page[number]', 'offset'],
    ['(first: 7, offset: 70)', 'page[size]', 'first'],
    ['', 'page[size]', undefined],
    ['(first: 7)', 'page[number]', undefined],
    // RFC 6901: ~1 is a slash within a name, ~0 a tilde. No parameter has either.
    ['(filter: { fqdn: "a" })', '/filter~1fqdn', undefined],
    ['(filter: { fqdn: "a" })', '/filter/fqdn~01', undefined],
    ['(filter: { fqdn: "a" })', '/filter/fqdn/a~1b', 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', '#/filter%5Bfqdn%5D', 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', 'filter%5Bfqdn%5D', 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', '100%', undefined],
    ['(filter: { fqdn: "a" })', '', undefined],
    ['(filter: { fqdn: "a" })', '/constructor/__proto__', undefined],
    ['(filter: { fqdn: "a" })', { parameter: 'nonsense', pointer: '/filter/fqdn' }, 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', {}, undefined],
  ],
};
const cases = Object.entries(rows).flatMap(([field, list]) => list.map((row) => [field, ...row] as const));

test.for(cases)('%s%s: %j points at %j', async ([field, args, place, argument], { gateway, upstream }) => {
  upstream.script(() => refusal(place));
  expect(await blamed(gateway, `{ ${field}${args} { nodes { id } } }`)).toEqual({ [field]: argument });
});

test.for([
  ['end_date', 'endDate'],
  ['/start_date', 'startDate'],
  ['format', undefined],
] as const)('%s of a report points at %s', async ([place, argument], { gateway, upstream }) => {
  upstream.script(() => refusal(place));
  const query = '{ chargesBreakdown(startDate: "2026-10-01") { currency } }';
  expect(await blamed(gateway, query)).toEqual({ chargesBreakdown: argument });
});

test.for([
  ['(first: 7)', ['query', 'page[size]'], 'first'],
  ['(first: 7)', ['query', 'page', 'size'], 'first'],
  ['(first: 7)', ['query', 'page[size]', 0], 'first'],
  ['(last: 7)', ['query', 'page[size]'], undefined],
  ['(first: 7, offset: 14)', ['query', 'page', 'number'], 'offset'],
  ['(first: 7)', ['query'], undefined],
  ['(first: 7)', [], undefined],
  ['(first: 7)', [{}, null, 'page[size]'], 'first'],
] as const)(
  'the loc of a validation failure of %s: %j points at %j',
  async ([args, loc, argument], { gateway, upstream }) => {
    upstream.script(() => ({ status: 422, json: { detail: [{ loc, msg: 'Wrong', type: 'value_error' }] } }));
    expect(await blamed(gateway, `{ missions${args} { nodes { id } } }`)).toEqual({ missions: argument });
  },
);

const items = Array.from({ length: 600 }, (_, index) => ({ id: String(index) }));

/** Pages of the list that are served before the next one is refused, by the row with which they begin and their size. */
type Served = (request: SeenRequest) => Reply | null;
const none: Served = () => null;
const firstPage =
  (most?: number): Served =>
  (request) =>
    request.query['page[number]'] === '1' ? pageReply(items, request, most) : null;

const later: readonly (readonly [query: string, parameter: string, served: Served, told: object])[] = [
  ['ipConnections(first: 20, after: $cursor) { nodes { id } }', 'page[number]', none, { ipConnections: 'after' }],
  ['ipConnections(last: 20, before: $cursor) { nodes { id } }', 'page[number]', none, { ipConnections: 'before' }],
  ['ipConnections(first: 1, offset: 1) { nodes { id } }', 'page[number]', firstPage(), { ipConnections: 'offset' }],
  // The gateway itself has chosen the page or its size.
  ['ipConnections(first: 250, after: $cursor) { nodes { id } }', 'page[size]', none, { ipConnections: undefined }],
  ['ipConnections(last: 5) { nodes { id } }', 'page[number]', firstPage(), { ipConnections: undefined }],
  ['ipConnections(first: 400) { nodes { id } }', 'page[number]', firstPage(), { ipConnections: undefined }],
  ['ipConnections(first: 1) { totalCount }', 'page[size]', none, { ipConnections: undefined }],
  // The API has served smaller pages.
  ...['page[size]', 'page[number]'].flatMap((parameter) => [
    [
      'ipConnections(first: 20, offset: 0) { nodes { id } } a: ipConnections(first: 60, offset: 0) { nodes { id } }',
      parameter,
      firstPage(20),
      { a: undefined },
    ] as const,
    [
      'ipConnections(first: 30, offset: 30) { nodes { id } }',
      parameter,
      (request: SeenRequest) => (request.query['page[size]'] === '30' ? pageReply(items, request, 10) : null),
      { ipConnections: undefined },
    ] as const,
  ]),
  // A look-up reads the page that a list asks for too.
  [
    'ipConnections(first: 250) { nodes { id } } ipConnection(id: "a") { id } webhookDelivery(id: "b") { id }',
    'page[size]',
    none,
    { ipConnections: 'first', ipConnection: undefined, webhookDelivery: undefined },
  ],
  ...['page[size]', 'page[number]', 'filter[attempts][contains]', 'filter[webhook][contains]'].map(
    (parameter) =>
      [
        'ipConnections(first: 1) { nodes { webhookDeliveries(first: 100) { nodes { id } } } }',
        parameter,
        (request: SeenRequest) =>
          request.path === '/ip_connections'
            ? pageReply([{ id: 'a', webhook_event_url: 'https://a.example.com/' }], request)
            : null,
        { 'ipConnections.nodes.0.webhookDeliveries': undefined },
      ] as const,
  ),
  // Months begin and end where the gateway says.
  ...(
    [
      ['start_date', ['startDate', undefined, undefined]],
      ['end_date', [undefined, undefined, 'endDate']],
    ] as const
  ).map(
    ([parameter, told]) =>
      [
        'chargesHistory(startDate: "2026-01-15", endDate: "2026-03-10") { currency }',
        parameter,
        none,
        Object.fromEntries(told.map((argument, index) => [`chargesHistory.${index}`, argument])),
      ] as const,
  ),
  [
    'chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { previous { currency } }',
    'start_date',
    ({ query }) => (query['start_date'] === '2026-10-01' ? { json: { data: chargesSummaryRecord() } } : null),
    { 'chargesSummary.previous': undefined },
  ],
];

test.for(later)(
  '%s: %s blames what its client has chosen',
  async ([query, parameter, served, told], { gateway, upstream }) => {
    upstream.script((request) => pageReply(items, request));
    const { data } = await gateway.query('{ ipConnections(first: 1, offset: 249) { pageInfo { endCursor } } }');
    upstream.script((request) => served(request) ?? refusal(parameter));
    const cursor = `"${data.ipConnections.pageInfo.endCursor}"`;
    expect(await blamed(gateway, `{ ${query.replace('$cursor', cursor)} }`)).toEqual(told);
  },
);
