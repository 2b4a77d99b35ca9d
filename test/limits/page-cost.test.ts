import { getOperationAST, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { anchorSearches, largestPageSize } from '../../src/bounds.ts';
import { readConfig } from '../../src/config.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import {
  aBody,
  aSearch,
  nothing,
  pageCost,
  searchOptionsOf,
  someCalls,
  someObjects,
  somePieces,
  sum,
  times,
  bytesPerObject,
  reportPart,
} from '../../src/limits/field-cost.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { createSchema } from '../../src/resources/schema.ts';

describe('a page of a list whose pages have a hundred rows', () => {
  const scanPages = 60;
  const withCursor = (pages: number): number => (anchorSearches + 1) * (pages + 3) + scanPages;

  test.for<readonly [args: Readonly<Record<string, unknown>>, items: number, calls: number]>([
    [{ first: 0 }, 0, 1],
    [{ first: 100 }, 100, 1],
    [{ first: 101 }, 101, 2],
    [{ last: 100 }, 100, 3],
    [{ first: null, last: 101 }, 101, 4],
    [{ first: 200, last: 100 }, 200, 2],
    [{ first: null, last: null }, 100, 1],
    [{ first: 100, offset: 0 }, 100, 1],
    [{ first: 100, offset: 1 }, 100, 2],
    [{ first: 100, offset: null }, 100, 1],
    [{ first: 99, after: 'a' }, 99, withCursor(1)],
    [{ first: 100, after: 'a' }, 100, withCursor(2)],
    [{ last: 99, before: 'a' }, 99, withCursor(1)],
    [{ first: 100, after: null, before: null }, 100, 1],
  ])('asked for with %j takes, for %i rows, %i calls', ([args, items, calls]) => {
    expect(pageCost({ pageLimit: 100 })(args, { scanPages, lookUp: 'list' }, items)).toEqual(someCalls(calls));
  });
});

test('estimates are added up, and what is shared counts once', () => {
  const body = aBody('report', 9);
  const added = sum([someCalls(1), someObjects(2), somePieces(3), aSearch('a', 5), aSearch('a', 5), body, nothing]);
  const shared = new Map([
    ['a', { calls: 5, objects: 0 }],
    ['report', { calls: 0, objects: 9 }],
  ]);
  expect(added).toEqual({ calls: 1, objects: 2, pieces: 3, shared });
  expect(times(added, 4)).toEqual({ calls: 4, objects: 8, pieces: 12, shared });
  expect(times({ ...added, pieces: Infinity }, 0)).toEqual(nothing);
});

test('the weight of a report is that of the largest, and a part of the limit at most', () => {
  const limitCost = 10 * reportPart;
  const weight = (upstreamMaxBodyBytes: number, most = limitCost) =>
    searchOptionsOf({ ...readConfig({}), upstreamMaxBodyBytes, limitCost: most }).reportWeight;
  expect([weight(bytesPerObject), weight(bytesPerObject + 1), weight(10 * bytesPerObject)]).toEqual([1, 2, 10]);
  expect([weight(11 * bytesPerObject), weight(11 * bytesPerObject, limitCost - 1)]).toEqual([10, 9]);
});

describe('the pieces of a response', () => {
  const estimate = createCostEstimate(createSchema(readTypeDefs()), { scanPages: 60, lookUp: 'list' });
  const costOf = (text: string, variables: Readonly<Record<string, unknown>> = {}) => {
    const document = parse(text);
    const operation = getOperationAST(document);
    return operation && estimate(document, operation, variables);
  };

  test.for<readonly [text: string, pieces: number]>([
    ['{ __typename }', 0],
    ['{ ... @defer { missions { totalCount } } }', 1],
    ['{ ...F @defer } fragment F on Query { missions { totalCount } }', 1],
    ['{ missions(first: 7) { nodes { ... @defer { id } } } }', 7],
    ['{ nodes(nodeIds: ["a", "b"]) { ... @defer { nodeId } } }', 2],
    ['{ ipConnection(id: "a") { inbound { ... @defer { sipRegion } } } }', 1],
    ['{ webhookDeliveries(first: 2) { nodes { attempts { ... @defer { status } } } } }', Infinity],
    ['{ webhookDeliveries(first: 2) { nodes { attempts { status } } } }', 0],
    ['{ __schema { description } }', Infinity],
  ])('of %s are %d', ([text, pieces]) => {
    expect(costOf(text)?.pieces).toBe(pieces);
  });

  test.for<readonly [text: string, objects: number]>([
    ['query ($y: Boolean = true) { missions @include(if: $y) { totalCount } }', 1],
    ['query ($y: Boolean = true) { missions @skip(if: $y) { totalCount } }', 1],
    [`{ missions(first: ${largestPageSize + 1}) { nodes { id } } }`, 1 + largestPageSize],
    ['{ missions(first: "x") { nodes { id } } }', 0],
    ['{ missions(first: 3, last: 5) { nodes { id } } }', 6],
    ['{ unknown { id } ...Unknown }', 0],
    ['{ nodes(nodeIds: ["a"]) { ... on IpConnection { inbound { sipRegion } } } }', 2],
    ['{ nodes(nodeIds: ["a"]) { ...F } } fragment F on IpConnection { inbound { sipRegion } }', 2],
  ])('a document counts what it may bring, also where it will fail: %s', ([text, objects]) => {
    expect(costOf(text)?.objects).toBe(objects);
  });

  test('an operation that the schema does not have has no cost', () => {
    expect(costOf('mutation { a }')).toBeNull();
  });
});
