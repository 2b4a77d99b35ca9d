import { nodeIdOf } from '../../src/graphql/nodes.ts';
import { mission } from '../../src/resources/mission.ts';
import * as records from '../support/records.ts';
import { deliveries, fails, isOdd, operation, refuses, type Exchange } from './exchange-case.ts';

const good = '{ missions { totalCount nodes { id name metadata } } }';
const period = '(startDate: "2026-10-01", endDate: "2026-11-01")';

const nullable =
  'query ($n: Int, $o: Int = 0, $f: IpConnectionFilter) { ipConnections(first: $n, offset: $o, filter: $f)';
const variables = [
  operation(
    'nulls for arguments that may be null',
    `${nullable} { nodes { id } } missions(first: null, after: null) { totalCount } }`,
    { variables: { n: null, o: null, f: null }, way: 'bytes' },
  ),
  operation(
    'a list of references of which one is none',
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on Mission { name } ... on Node { __typename } } }',
    {
      variables: { ids: ['x', nodeIdOf(mission, { mission_id: 'a' })] },
      way: 'general',
      data: '{"nodes":[null,null]}',
    },
  ),
];

const switched = [
  '{ __typename missions @include(if: $yes) { totalCount } }',
  '{ missions { totalCount nodes { id @skip(if: $yes) } } }',
  '{ missions { totalCount nodes @include(if: $yes) { id } } }',
  '{ missions { nodes { ...M @include(if: $yes) } } } fragment M on Mission { name }',
].flatMap((text) =>
  [true, false, null, undefined].map((yes) =>
    operation(`${text} with ${yes}`, `query ($yes: Boolean = true) ${text}`, { variables: { yes } }),
  ),
);

const failing = Object.entries({ fails, refuses, isOdd }).flatMap(([name, reply]) => [
  operation(`an upstream that ${name}`, good, { reply }),
  operation(
    `an upstream that ${name}, beside a field that does not ask`,
    `${good.slice(0, -1)} chargesSummary(startDate: "2026-10-01", endDate: "2026-10-01") { currency } __typename }`,
    { reply },
  ),
]);

const documents = [
  '{ __schema { queryType { name } } }',
  '{ a: __typename __proto__: __typename then: __typename }',
  '{ _service { sdl } _entities(representations: [{ __typename: "Mission", id: "a" }, 7]) { __typename } }',
  'subscription { x }',
  'mutation { x }',
].map((text) => operation(text, text));

const secretHeaders = [
  ['Cookie', 'a=b'],
  ['X', 'y'],
  ['X-Api-Key', '1'],
  ['COOKIE', 'hush\t'],
];
const secrets = deliveries(
  records.webhookDeliveryRecord({ attempts: [{ http: { request: { headers: secretHeaders } } }] }),
);
const headers = 'webhookDeliveries(first: 1) { nodes { attempts { http { request { headers { name value } } } } } }';
const token = 'ipConnections(first: 1) { nodes { outbound { ipAuthenticationToken ipAuthenticationTokenSet } } }';
/** Exchanges that settings decide: what they may cost, and whether they show secrets. */
export const ofSettings: readonly Exchange[] = [
  operation('a token and headers', `{ ${token} ${headers} }`, { reply: secrets, way: 'bytes' }),
];

const unusualNames = [
  operation(
    'fields of rows under the name __proto__',
    '{ missions { __proto__: nodes { __proto__: name __typename } } }',
    {
      way: 'bytes',
      eventWay: 'general',
      data: '{"missions":{"__proto__":[{"__proto__":"Appointment reminders","__typename":"Mission"}]}}',
    },
  ),
  operation(
    'fields under the names of what every object has',
    '{ constructor: __typename toString: missions { valueOf: totalCount hasOwnProperty: nodes { toJSON: name } } }',
    {
      way: 'bytes',
      data: '{"constructor":"Query","toString":{"valueOf":1,"hasOwnProperty":[{"toJSON":"Appointment reminders"}]}}',
    },
  ),
  operation(
    '__typename at every level',
    `{ __typename missions { __typename nodes { __typename } pageInfo { __typename } }
      b: missions { edges { __typename node { __typename } } }
      chargesSummary${period} { __typename summary { __typename lines { __typename } } } }`,
    { way: 'bytes' },
  ),
];

const selections = [
  operation(
    'connections that are on, and the deliveries of one, in both directions',
    `query ($id: ID = "row-1") {
      ipConnections(filter: { active: true, tags: { contains: "" } }) { totalCount nodes { id webhookDeliveries { nodes { id } } } }
      webhookDeliveries(filter: { connectionId: $id }) { totalCount nodes { id ipConnection { id } } } }`,
    { way: 'compiled' },
  ),
  operation(
    'a fragment left out where it is spread first, and not where it is spread again',
    '{ missions { ...C @skip(if: true) totalCount ...C } } fragment C on MissionConnection { nodes { id } }',
    { way: 'bytes' },
  ),
  operation(
    'fragments on an interface',
    `{ missions { nodes { ... on Node { nodeId } ...N name } } }
      fragment N on Node { __typename ... on Mission { id } ... on IpConnection { id active } }`,
    { way: 'bytes' },
  ),
  operation(
    'a selection of which nothing is left',
    'query ($no: Boolean!) { missions @include(if: $no) { totalCount } }',
    { variables: { no: false }, way: 'bytes', data: '{}' },
  ),
  operation(
    'more switches than a plan has',
    `query (${'abcde'.replaceAll(/./g, '$$$&: Boolean! ')}) { missions { totalCount @include(if: $a) nodes {
      id @skip(if: $b) name @include(if: $c) model @skip(if: $d) updatedAt @include(if: $e) } } }`,
    { variables: { a: true, b: false, c: true, d: true, e: false }, way: 'general' },
  ),
  operation(
    'a switch that is null',
    'query ($a: Boolean = true) { missions { totalCount nodes { id @skip(if: $a) } } }',
    { variables: { a: null }, way: 'general', data: '{"missions":{"totalCount":1,"nodes":[null]}}' },
  ),
  ...[
    'missions(first: 1) { pageInfo { hasNextPage @skip(if: true) } nodes { id @skip(if: true) } totalCount }',
    'webhookDeliveries(first: 1) { nodes { attempts { http @include(if: false) { __typename } } webhook { id @skip(if: true) } } }',
    `chargesSummary${period} { currency @skip(if: true) total { credits @skip(if: true) } }`,
  ].map((field) => operation(`objects of which every field is skipped: ${field}`, `{ ${field} }`, { way: 'bytes' })),
];

// Names that GraphQL's grammar has, and that something else could take for its own.
const reserved =
  `_ __ ___ _0 E1 NaN Infinity undefined null true false constructor prototype __proto__ __defineGetter__ __lookupSetter__
  hasOwnProperty isPrototypeOf toString valueOf toJSON then catch get set async await yield let static eval arguments this return throw new
  delete globalThis process Function query fragment k0 k1 f0 f1 v r o i run list items name data errors`.split(/\s+/);
const everywhere = [...reserved, 'a'.repeat(500)].map((name) =>
  operation(
    `the name ${name} in every place`,
    `query ${name}($${name}: Boolean!, $n: Int) { ${name}: missions(first: $n) { ...${name} ...${name} @skip(if: $${name}) }
      kind: __typename @include(if: $${name}) }
      fragment ${name} on MissionConnection { ${name}: totalCount nodes { ${name}: name ${name}: name } pageInfo { ${name}: __typename } }`,
    {
      operationName: name,
      variables: Object.fromEntries([[name, true]]),
      data: `{"${name}":{"${name}":1,"nodes":[{"${name}":"Appointment reminders"}],"pageInfo":{"${name}":"PageInfo"}},"kind":"Query"}`,
    },
  ),
);

/** Operations in which it takes care to have one answer on every path. */
export const operationExchanges: readonly Exchange[] = [
  ...variables,
  ...switched,
  ...failing,
  ...documents,
  ...ofSettings,
  ...unusualNames,
  ...selections,
  ...everywhere,
];
