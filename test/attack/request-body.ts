import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { Random } from '../../src/sandbox/random.ts';
import { randomRequest } from '../fuzz/document.ts';
import { hostile } from '../limits/hostile.ts';
import type { Operation } from './operation-text.ts';
import { hostileOperation } from './operation.ts';
import { damagedText, hostileText, units } from './text.ts';
import { anyValue, type Handouts } from './value.ts';

/** The material of operations. */
export interface Material {
  readonly schema: GraphQLSchema;
  readonly handouts: Handouts;
}

/** The schema as clients see it. */
export function clientSchema(): GraphQLSchema {
  return createSchema(readTypeDefs());
}

const bare = (query: string): Operation => ({ query, variables: {} });
const documentLengths = [0, 300, 3_000, 13_000, 100_000, 900_000];

/** Operations of every kind: by the schema, at random, made to be dear, tiny, and none at all. */
export function anyOperation({ schema, handouts }: Material): fc.Arbitrary<Operation> {
  const { cursors, nodeIds, ids } = handouts;
  const harvest = { cursors: [...cursors], nodeIds: [...nodeIds], ids: [...ids] };
  const dear = fc
    .tuple(fc.constantFrom(...Object.values(hostile)), fc.constantFrom(...documentLengths))
    .map(([make, length]) => bare(make(length)));
  return fc.oneof(
    { arbitrary: hostileOperation(schema, handouts), weight: 14 },
    { arbitrary: dear, weight: 2 },
    { arbitrary: fc.nat().map((seed) => randomRequest(schema, new Random(`attack ${seed}`), harvest)), weight: 3 },
    { arbitrary: fc.string({ maxLength: 10 }).map((text) => bare(`{${text}`)), weight: 1 },
    { arbitrary: fc.nat().map((number) => bare(`{a${number}}`)), weight: 1 },
    { arbitrary: hostileText(900_000).map(bare), weight: 1 },
  );
}

/** The JSON of one operation; now and then with members left out, of another type, or too many. */
function envelope(material: Material): fc.Arbitrary<unknown> {
  const odd = fc.record(
    {
      operationName: fc.oneof(fc.constantFrom<unknown>('Q', '', null, 7), hostileText(10_000)),
      variables: anyValue,
      extensions: fc.oneof(
        anyValue,
        fc.record({ persistedQuery: fc.record({ version: anyValue, sha256Hash: anyValue }) }),
      ),
      query: anyValue,
      documentId: fc.oneof(fc.constant('Missions'), anyValue, hostileText(10_000)),
      more: anyValue,
    },
    { requiredKeys: [] },
  );
  const members = fc.oneof({ arbitrary: fc.constant<object>({}), weight: 4 }, { arbitrary: odd, weight: 1 });
  return fc.tuple(anyOperation(material), members).map(([operation, others]) => ({ ...operation, ...others }));
}

const query = '"query":"{ __typename }"';

/** Bodies that no value of JavaScript is written as. */
const raws: readonly string[] = [
  `{${query},${query}}`,
  `{"query":"{",${query}}`,
  `{${query},"variables":{"v":1e400},"operationName":null}`,
  `{${query},"__proto__":{"variables":7}}`,
  `{"__proto__":{${query}}}`,
  `{${query},"variables":{"__proto__":{"v":1},"constructor":{"prototype":1}}}`,
  `{${query},"extensions":{"__proto__":{"persistedQuery":{"sha256Hash":"Missions"}}}}`,
  `{"documentId":"__proto__"}`,
  `{"documentId":"constructor","variables":[]}`,
  `[${`{${query}},`.repeat(3)}]`,
  `{${query}}{${query}}`,
  `{"query":"query (\\ud800) { __typename }"}`,
  `{${query},"variables":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
];

type Wrap = (text: string) => Buffer;

/** How text becomes bytes: mostly as it should. */
const wraps: readonly Wrap[] = [
  ...Array<Wrap>(24).fill((text) => Buffer.from(text)),
  (text) => Buffer.from(`\uFEFF${text}`),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xc0, 0x80])]),
  (text) => gzipSync(text),
];
const repetitions = [100, 100_000, 1_000_000];
const largest = 1_100_000;

/** The body of a POST: the JSON of an operation, of several, damaged, or anything else. */
export function requestBody(material: Material): fc.Arbitrary<Buffer> {
  const json = envelope(material).map((value) => JSON.stringify(value));
  const batched = fc
    .tuple(json, fc.constantFrom(2, 100, 5_000))
    .map(([one, count]) => `[${Array(count).fill(one.slice(0, 300)).join(',')}]`);
  const filled = fc
    .tuple(fc.constantFrom(...units), fc.constantFrom(...repetitions))
    .map(([unit, count]) => unit.repeat(Math.min(count, largest / unit.length)));
  const text = fc.oneof(
    { arbitrary: json, weight: 14 },
    { arbitrary: json.chain(damagedText), weight: 2 },
    { arbitrary: batched, weight: 1 },
    { arbitrary: filled, weight: 1 },
    { arbitrary: fc.constantFrom(...raws), weight: 1 },
    { arbitrary: anyValue.map((value) => JSON.stringify(value)), weight: 1 },
  );
  return fc.tuple(text, fc.constantFrom(...wraps)).map(([given, wrap]) => wrap(given));
}
