import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
} from 'graphql';
import { isRawNumber } from '../../support/records.ts';
import type { Random } from '../../../src/sandbox/random.ts';

/** Cursors and identifiers of earlier responses, to be sent back. */
export interface Harvest {
  readonly cursors: string[];
  readonly nodeIds: string[];
  readonly ids: string[];
}

const texts = [
  '',
  'Head office',
  'x'.repeat(5_000),
  '\u0000',
  '\uD800',
  'é🤖',
  '%5B',
  '"}',
  'constructor',
  '__proto__',
  '-1',
  'null',
];
const dates = [
  '2026-10-01',
  '2026-10-01',
  '2026-10-01',
  '2026-11-01',
  '2026-10-15',
  '2026-02-30',
  '9999-12-31',
  'today',
  '',
];
const moments = [
  '2026-10-01T00:00:00Z',
  '2026-10-01 08:30:00.123456+02',
  '2026-10-03T00:00:00Z',
  '2026-13-01T00:00:00Z',
  'now',
  '',
];
const integers = [0, 1, 1, 2, 3, 3, 5, 20, 100, 500, 501, -1, 2_147_483_647];
const wrong = [null, 'x', 1.5, 7, true, {}, [], [[1]], { eq: { eq: 1 } }];

/** The material of arguments: a sloppy one may have a wrong type, which fails the whole document. */
export interface Material extends Harvest {
  readonly isSloppy: boolean;
}

/** A value for an argument, mostly of its type; handouts of earlier responses go where they fit, and where they do not. */
export function valueFor(name: string, type: GraphQLInputType, random: Random, harvest: Material): unknown {
  if (harvest.isSloppy && random.chance(0.05)) return random.pick(wrong);
  if (!isNonNullType(type) && random.chance(0.03)) return null;
  return valueOf(name, isNonNullType(type) ? type.ofType : type, random, harvest);
}

function valueOf(name: string, type: GraphQLInputType, random: Random, harvest: Material): unknown {
  if (isListType(type))
    return Array.from({ length: random.int(0, 4) }, () => valueFor(name, type.ofType, random, harvest));
  if (isEnumType(type)) return random.pick(type.getValues().map((value) => value.name));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || random.chance(0.5));
    return Object.fromEntries(fields.map((field) => [field.name, valueFor(field.name, field.type, random, harvest)]));
  }
  return leafFor(name, type.name, random, harvest);
}

function leafFor(name: string, typeName: string, random: Random, { cursors, nodeIds, ids }: Material): unknown {
  if (name === 'after' || name === 'before') return random.pick([...cursors.slice(-20), random.pick(texts)]);
  if (name === 'nodeId' || name === 'nodeIds') return random.pick([...nodeIds.slice(-20), random.pick(texts)]);
  if (name === 'id') return random.pick([...ids.slice(-20), random.pick(texts)]);
  if (typeName === 'Int') return random.pick(integers);
  if (typeName === 'Boolean') return random.chance(0.5);
  if (typeName === 'Date') return name === 'endDate' ? random.pick(dates.slice(2)) : random.pick(dates);
  if (typeName === 'DateTime') return random.pick(moments);
  if (typeName !== '_Any') return random.pick(texts);
  const type = random.pick(['Mission', 'IpConnection', 'WebhookDelivery', 'Mission', 'Query', 'constructor', 7]);
  return { __typename: type, id: random.pick([...ids.slice(-20), random.pick(texts)]) };
}

/** A value as it is written in a document. */
export function literalOf(value: unknown, type: GraphQLInputType | undefined): string {
  const nullable = type === undefined ? undefined : getNullableType(type);
  if (Array.isArray(value)) {
    const inner = isListType(nullable) ? nullable.ofType : undefined;
    return `[${value.map((item) => literalOf(item, inner)).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    const fields = isInputObjectType(nullable) ? nullable.getFields() : {};
    return `{ ${Object.entries(value)
      .map(([name, item]) => `${name}: ${literalOf(item, fields[name]?.type)}`)
      .join(', ')} }`;
  }
  return isEnumType(nullable) && typeof value === 'string' && /^\w+$/.test(value) ? value : JSON.stringify(value);
}
