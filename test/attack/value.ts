import fc from 'fast-check';
import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputField,
  type GraphQLInputType,
} from 'graphql';
import { rawNumber } from '../support/records.ts';
import { damagedText, hostileText } from './text.ts';

/** Cursors and identifiers from the gateway, to be sent back as they are, damaged, and in the wrong place. */
export interface Handouts {
  readonly cursors: readonly string[];
  readonly nodeIds: readonly string[];
  readonly ids: readonly string[];
  readonly eventIds: readonly string[];
}

/** The material of values. */
export interface ValueMaterial {
  readonly handouts: Handouts;
  /** Whether values may be of another type than they should be, which costs the whole document. */
  readonly isWild: boolean;
  /** The longest text, in characters: 400,000 where it is absent. */
  readonly longestText?: number;
}

const longestOfAll = 400_000;

const written = (...texts: readonly string[]): readonly unknown[] => texts.map(rawNumber);
// Integers that are not written as such: a variable may have them, and a literal may not.
const integers = [
  0,
  1,
  -1,
  2,
  20,
  500,
  501,
  1_000,
  -500,
  2_147_483_647,
  -2_147_483_648,
  ...written('-0', '0.0', '20.00', '5e2', '-0e400'),
];
// Some are no number to JavaScript, or become another.
const numbers = [
  ...integers,
  1.5,
  -0.1,
  1e-300,
  1e21,
  1e308,
  2_147_483_648,
  -2_147_483_649,
  2 ** 53,
  ...written(
    '1e400',
    '-1e400',
    '1e-400',
    '9223372036854775808',
    '18446744073709551616',
    '4294967297',
    '9007199254740993',
  ),
];

/** How many there are in a list; mostly few. */
const lengths = [0, 1, 1, 1, 2, 3, 20, 100, 499, 501, 2_000];

/** Any JSON value: what stands where something else is expected. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 'x', [], {}, [[]], [null], { eq: { eq: 1 } }, { __proto__: null }),
  fc.constantFrom(...numbers),
  hostileText(5_000),
  fc.integer({ min: 1, max: 600 }).map(nested),
  fc
    .constantFrom(10, 1_000, 20_000)
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))),
);

/** Values for an input of the schema, as long, many, odd or contradictory as its type allows; in the wild of any type. */
export function valueFor(name: string, type: GraphQLInputType, material: ValueMaterial): fc.Arbitrary<unknown> {
  const nullable = getNullableType(type);
  const { isWild } = material;
  return fc.oneof(
    { arbitrary: fitting(name, nullable, material), weight: 16 },
    { arbitrary: fc.constant(null), weight: isNonNullType(type) ? Number(isWild) : 2 },
    { arbitrary: anyValue, weight: isWild ? 2 : 0 },
  );
}

function fitting(name: string, type: GraphQLInputType, material: ValueMaterial): fc.Arbitrary<unknown> {
  if (isListType(type)) {
    const { ofType } = type as { readonly ofType: GraphQLInputType };
    const item = valueFor(name, ofType, material);
    const same = fc.tuple(item, fc.constantFrom(...lengths)).map(([value, count]) => repeatedValue(value, count));
    return fc.oneof(fc.array(item, { maxLength: 4 }), same);
  }
  if (isEnumType(type)) {
    const names = type.getValues().map((value) => value.name);
    const wrong = [...names.map((text) => text.toLowerCase()), 'NOBODY', ''];
    return fc.constantFrom(...names, ...(material.isWild ? wrong : []));
  }
  if (isInputObjectType(type)) return objectOf(Object.values(type.getFields()), material);
  return leaf(name, (type as { readonly name: string }).name, material);
}

// A body beyond the limit is refused unread.
const mostCharacters = 1_200_000;

function repeatedValue(value: unknown, count: number): readonly unknown[] {
  const { length } = JSON.stringify(value) ?? '';
  return Array<unknown>(Math.min(count, Math.ceil(mostCharacters / length))).fill(value);
}

function objectOf(fields: readonly GraphQLInputField[], material: ValueMaterial): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(fields.map(({ name, type }) => [name, valueFor(name, type, material)]));
  const unknown = fc.oneof(
    { arbitrary: fc.constant({}), weight: 8 },
    { arbitrary: fc.constantFrom(1, 50, 500).map(unknownFields), weight: Number(material.isWild) },
  );
  return fc.tuple(fc.record(known, { requiredKeys: [] }), unknown).map(([fit, odd]) => ({ ...fit, ...odd }));
}

function leaf(name: string, type: string, material: ValueMaterial): fc.Arbitrary<unknown> {
  const { handouts, isWild, longestText = longestOfAll } = material;
  const text = hostileText(longestText);
  if (type === 'Int' || type === 'Float') return fc.constantFrom(...(isWild ? numbers : integers));
  if (type === 'Boolean') return fc.constantFrom<unknown>(true, false, ...(isWild ? ['true', 1] : []));
  if (type === 'Date') return isWild ? fc.oneof(date, text) : date;
  if (type === 'DateTime') return isWild ? fc.oneof(moment, text) : moment;
  if (type === '_Any') return representation(handouts);
  return fc.oneof({ arbitrary: text, weight: 2 }, { arbitrary: handedOut(name, handouts), weight: 3 });
}

// So near each other that a report may have the days between two of them, or a few too many.
const autumn = { min: new Date('2026-09-15'), max: new Date('2026-11-15') };
const date = fc.oneof(
  fc.constantFrom('2026-10-01', '2026-10-15', '2026-11-01'),
  fc.date({ noInvalidDate: true, ...autumn }).map((value) => value.toISOString().slice(0, 10)),
  fc.date({ noInvalidDate: true }).map((value) => value.toISOString().slice(0, 10)),
);
// Near each other, so that ranges are empty, reversed or hold one moment: in other zones, and finer than a millisecond.
const neighbours = `2026-10-01T00:00:00Z 2026-10-01T02:00:00+02:00 2026-10-01T02:00:00+01:00 2026-09-30T00:01:00-23:59
  2026-10-01T00:00:00.000000001Z 2026-10-01t00:00:00z 2026-10-01T00:00:00-00:00 2026-09-30T23:59:60Z`.split(/\s+/);
const fraction = fc.constantFrom('', '.0', '.000001', '.9999999999', `.${'9'.repeat(1_000)}`);
const zone = fc.constantFrom('Z', 'z', '+00:00', '+05:30', '-23:59', '+14:00', '+0200', '');
const moment = fc.oneof(
  fc.constantFrom(...neighbours),
  fc
    .tuple(fc.date({ noInvalidDate: true, ...autumn }), fraction, zone)
    .map(([value, part, offset]) => value.toISOString().replace(/\.\d+Z$/, part + offset)),
);

/** A handout of one kind, or now and then of another. */
function handedOut(name: string, { cursors, nodeIds, ids, eventIds }: Handouts): fc.Arbitrary<string> {
  const own = name === 'after' || name === 'before' ? cursors : name.startsWith('nodeId') ? nodeIds : ids;
  const all = [...cursors, ...nodeIds, ...ids, ...eventIds];
  return fc.constantFrom(...own, ...own, ...own, ...all).chain(damagedText);
}

function representation(handouts: Handouts): fc.Arbitrary<unknown> {
  const types = ['Mission', 'IpConnection', 'WebhookDelivery', 'Query', 'constructor', '', 7, null];
  return fc.record(
    {
      __typename: fc.constantFrom<unknown>(...types),
      id: leaf('id', 'ID', { handouts, isWild: true }),
      more: anyValue,
    },
    { requiredKeys: ['__typename', 'id'] },
  );
}

function unknownFields(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown${at}`, 'x'.repeat(20)]));
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
