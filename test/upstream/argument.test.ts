import { expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { chargesSummaryRecord } from '../support/records.ts';
import { pageReply, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

/** A refusal that blames a parameter, or with a slash a pointer. */
const refusal = (place: string | object): Reply => {
  const isPointer = typeof place === 'string' && (place === '' || /^#?\//.test(place));
  const source = typeof place === 'object' ? place : { [isPointer ? 'pointer' : 'parameter']: place };
  return { status: 400, json: { errors: [{ code: '10015', title: 'Bad Request', source }] } };
};

/** Each error of a query: the path of its field, and that of the argument which it blames, or nothing. */
async function blamed(gateway: Gateway, query: string): Promise<string> {
  const { errors } = await gateway.query(query);
  for (const { extensions } of errors) expect(extensions.code).toBe('BAD_USER_INPUT');
  return errors
    .map(({ path, extensions }) => `${path.join('.')}: ${extensions.argument?.join('.') ?? 'nothing'}`)
    .join(', ');
}

type Row = readonly [args: string, place: string | object, argument: string];
const since = '"2026-10-01T00:00:00Z"';
const profile = '/filter/outbound.outbound_voice_profile_id';

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
    // What was never declared is nobody's fault.
    ['(filter: { status: { eq: "x" } })', 'filter[status_code][eq]', 'nothing'],
  ],
  ipConnections: [
    ['(filter: { connectionName: { eq: "a" } })', 'filter[connection_name]', 'filter.connectionName.eq'],
    ['(filter: { connectionName: { contains: "a" } })', 'filter[connection_name]', 'filter.connectionName.contains'],
    ['(filter: { outbound: { outboundVoiceProfileId: "7" } })', profile, 'filter.outbound.outboundVoiceProfileId'],
    ['(filter: { outboundVoiceProfileId: "7" })', '/filter/outbound_voice_profile_id', 'filter.outboundVoiceProfileId'],
    ['(orderBy: { field: ACTIVE })', '#/sort', 'orderBy'],
    ['(first: 7)', 'page[size]', 'first'],
    // The largest page is asked for, to learn how long the list is.
    ['(last: 7)', 'page[size]', 'nothing'],
    // Of a page that takes several of the upstream, or does not begin where one of them does, the gateway chooses the sizes.
    ['(first: 250)', 'page[size]', 'first'],
    ['(first: 300, last: 250)', 'page[size]', 'nothing'],
    ['(first: 10, offset: 3)', 'page[number]', 'nothing'],
    ['(first: 7, offset: 70)', 'page[number]', 'offset'],
    ['(first: 7, offset: 70)', 'page[size]', 'first'],
    ['', 'page[size]', 'nothing'],
    ['(first: 7)', 'page[number]', 'nothing'],
    // RFC 6901: ~1 is a slash within a name, ~0 a tilde. No parameter has either.
    ['(filter: { fqdn: "a" })', '/filter~1fqdn', 'nothing'],
    ['(filter: { fqdn: "a" })', '/filter/fqdn~01', 'nothing'],
    ['(filter: { fqdn: "a" })', '/filter/fqdn/a~1b', 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', '#/filter%5Bfqdn%5D', 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', 'filter%5Bfqdn%5D', 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', '100%', 'nothing'],
    ['(filter: { fqdn: "a" })', '', 'nothing'],
    ['(filter: { fqdn: "a" })', '/constructor/__proto__', 'nothing'],
    ['(filter: { fqdn: "a" })', { parameter: 'nonsense', pointer: '/filter/fqdn' }, 'filter.fqdn'],
    ['(filter: { fqdn: "a" })', {}, 'nothing'],
  ],
  chargesBreakdown: [
    ['(startDate: "2026-10-01")', 'end_date', 'endDate'],
    ['(startDate: "2026-10-01")', '/start_date', 'startDate'],
    ['(startDate: "2026-10-01")', 'format', 'nothing'],
  ],
};
const cases = Object.entries(rows).flatMap(([field, list]) => list.map((row) => [field, ...row] as const));

test.for(cases)('%s%s: %j points at %j', async ([field, args, place, argument], { gateway, upstream }) => {
  upstream.script(() => refusal(place));
  const selection = field === 'chargesBreakdown' ? 'currency' : 'nodes { id }';
  expect(await blamed(gateway, `{ ${field}${args} { ${selection} } }`)).toBe(`${field}: ${argument}`);
});

test.for([
  ['(first: 7)', ['query', 'page[size]'], 'first'],
  ['(first: 7)', ['query', 'page', 'size'], 'first'],
  ['(first: 7)', ['query', 'page[size]', 0], 'first'],
  ['(first: 7, offset: 14)', ['query', 'page', 'number'], 'offset'],
  ['(first: 7)', ['query'], 'nothing'],
  ['(first: 7)', [{}, null, 'page[size]'], 'first'],
] as const)('of %s the loc %j points at %j', async ([args, loc, argument], { gateway, upstream }) => {
  upstream.script(() => ({ status: 422, json: { detail: [{ loc, msg: 'Wrong', type: 'value_error' }] } }));
  expect(await blamed(gateway, `{ missions${args} { nodes { id } } }`)).toBe(`missions: ${argument}`);
});

const items = Array.from({ length: 600 }, (_, index) => ({ id: String(index) }));
const sizeAndNumber = 'page[size] page[number]';

/** What is served before a page is refused; by itself nothing. */
type Served = (request: SeenRequest) => Reply | null;
const firstPage =
  (most?: number): Served =>
  (request) =>
    request.query['page[number]'] === '1' ? pageReply(items, request, most) : null;
const smallPages: Served = (request) => (request.query['page[size]'] === '30' ? pageReply(items, request, 10) : null);
const connection: Served = (request) =>
  request.path === '/ip_connections'
    ? pageReply([{ id: 'a', webhook_event_url: 'https://a.example.com/' }], request)
    : null;
const october: Served = ({ query }) =>
  query['start_date'] === '2026-10-01' ? { json: { data: chargesSummaryRecord() } } : null;

const ids = '{ nodes { id } }';
const history = 'chargesHistory(startDate: "2026-01-15", endDate: "2026-03-10") { currency }';
const later: readonly (readonly [query: string, parameters: string, told: string, served?: Served])[] = [
  [`ipConnections(first: 20, after: $cursor) ${ids}`, 'page[number]', 'ipConnections: after'],
  [`ipConnections(last: 20, before: $cursor) ${ids}`, 'page[number]', 'ipConnections: before'],
  [`ipConnections(first: 1, offset: 1) ${ids}`, 'page[number]', 'ipConnections: offset', firstPage()],
  // The gateway itself has chosen the page or its size.
  [`ipConnections(first: 200, after: $cursor) ${ids}`, 'page[size]', 'ipConnections: nothing'],
  [`ipConnections(last: 5) ${ids}`, 'page[number]', 'ipConnections: nothing', firstPage()],
  [`ipConnections(first: 400) ${ids}`, 'page[number]', 'ipConnections: nothing', firstPage()],
  ['ipConnections(first: 1) { totalCount }', 'page[size]', 'ipConnections: nothing'],
  // The API has served smaller pages.
  [
    `ipConnections(first: 20, offset: 0) ${ids} a: ipConnections(first: 60, offset: 0) ${ids}`,
    sizeAndNumber,
    'a: nothing',
    firstPage(20),
  ],
  [`ipConnections(first: 30, offset: 30) ${ids}`, 'page[size]', 'ipConnections: nothing', smallPages],
  // A look-up reads the page that a list asks for too.
  [
    `ipConnections(first: 250) ${ids} ipConnection(id: "a") { id } webhookDelivery(id: "b") { id }`,
    'page[size]',
    'ipConnections: first, ipConnection: nothing, webhookDelivery: nothing',
  ],
  [
    `ipConnections(first: 1) { nodes { webhookDeliveries(first: 100) ${ids} } }`,
    `${sizeAndNumber} filter[attempts][contains] filter[webhook][contains]`,
    'ipConnections.nodes.0.webhookDeliveries: nothing',
    connection,
  ],
  // Months begin and end where the gateway says.
  [history, 'start_date', 'chargesHistory.0: startDate, chargesHistory.1: nothing, chargesHistory.2: nothing'],
  [history, 'end_date', 'chargesHistory.0: nothing, chargesHistory.1: nothing, chargesHistory.2: endDate'],
  [
    'chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { previous { currency } }',
    'start_date',
    'chargesSummary.previous: nothing',
    october,
  ],
];

test.for(later)('%s: %s blames %s', async ([query, parameters, told, served = () => null], { gateway, upstream }) => {
  upstream.script((request) => pageReply(items, request));
  const { data } = await gateway.query('{ ipConnections(first: 1, offset: 249) { pageInfo { endCursor } } }');
  const cursor = `"${data.ipConnections.pageInfo.endCursor}"`;
  for (const parameter of parameters.split(' ')) {
    upstream.script((request) => served(request) ?? refusal(parameter));
    expect(await blamed(gateway, `{ ${query.replace('$cursor', cursor)} }`)).toBe(told);
  }
});
