import { fails, good, query, refuses, isOdd, type ExchangeCase } from '../exchange-case.ts';

const two = 'query A { a: __typename } query B { b: missions { totalCount } }';
const operationNames: readonly ExchangeCase[] = [undefined, null, 'A', 'B', 'C', '', ' ', 1, true, {}, ['A']].flatMap(
  (operationName) =>
    [two, '{ __typename }', 'query A { __typename }', 'mutation A { x }', 'fragment A on Query { __typename }'].map(
      (text) => ({
        name: `operationName ${JSON.stringify(operationName)} of ${text}`,
        request: query(text, { operationName }),
      }),
    ),
);

const withVariables =
  'query V($n: Int = 1, $yes: Boolean = true, $id: ID = "x") { missions(first: $n) { totalCount @include(if: $yes) } nodes(nodeIds: [$id]) { nodeId } }';
const variableTexts = `null {} [] [1] "{}" 1 true {"n":2} {"n":null} {"n":"x"} {"n":1.5} {"n":2147483648} {"yes":false} {"yes":null}
  {"yes":"true"} {"id":7} {"id":{}} {"nobody":1} {"__proto__":{"n":3}}`;
const variables: readonly ExchangeCase[] = variableTexts.split(/\s+/).map((text) => ({
  name: `variables ${text}`,
  request: query(withVariables, { variables: JSON.parse(text) }),
}));

const switched: readonly ExchangeCase[] = [
  {
    name: 'a switch __proto__',
    request: query('query ($__proto__: Boolean!) { a: __typename @include(if: $__proto__) }', {
      variables: Object.fromEntries([['__proto__', true]]),
    }),
  },
  ...[
    '{ __typename missions @include(if: $yes) { totalCount } }',
    '{ missions { totalCount nodes { id @skip(if: $yes) } } }',
    '{ missions { totalCount nodes @include(if: $yes) { id } } }',
    '{ missions { nodes { ...M @include(if: $yes) } } } fragment M on Mission { name }',
  ].flatMap((text) =>
    [true, false, null, undefined].map((yes) => ({
      name: `${text} with ${yes}`,
      request: query(`query ($yes: Boolean = true) ${text}`, { variables: { yes } }),
    })),
  ),
];

const failing: readonly ExchangeCase[] = [fails, refuses, isOdd].flatMap((reply) =>
  [
    good,
    `${good.slice(0, -1)} chargesSummary(startDate: "2026-10-01", endDate: "2026-10-01") { currency } __typename }`,
  ].map((text) => ({ name: 'a failing upstream', request: query(text), reply })),
);

const documents: readonly ExchangeCase[] = [
  '{ __schema { queryType { name } } }',
  '{ a: __typename __proto__: __typename then: __typename }',
  '{ _service { sdl } _entities(representations: [{ __typename: "Mission", id: "a" }, 7]) { __typename } }',
  'subscription { x }',
  'mutation { x }',
  '{ missions(first: 500) { nodes { id } } webhookDeliveries(first: 500) { nodes { ipConnection { id } } } }',
  `{${' missions { totalCount }'.repeat(60)} }`,
  '{ ipConnections { nodes { outbound { ipAuthenticationToken } } } }',
].map((text) => ({ name: text.slice(0, 60), request: query(text) }));

/** Requests that differ in their operations, and in the results. */
export const operation: readonly ExchangeCase[] = [
  ...operationNames,
  ...variables,
  ...switched,
  ...failing,
  ...documents,
];
