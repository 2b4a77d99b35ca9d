import type { GraphQLScalarType } from 'graphql';
import { GatewayError, type Place } from '../../errors.ts';
import type { ComparativeLineResolvers, Resolvers, SimpleLineResolvers } from '../../generated/schema.ts';
import { recordIn } from '../../json.ts';

/** Where a value stands: its field in the schema, and its name in the API's own documents. */
export interface Site {
  /** A field of the schema, e.g. `IpConnection.createdAt`. */
  readonly coordinate: string;
  readonly wireName: string;
}

type CoordinatesOf<Types> = {
  [Name in keyof Types & string]: Types[Name] extends GraphQLScalarType
    ? never
    : `${Name}.${keyof Types[Name] & string}`;
}[keyof Types & string];

/** A field of the schema. The generated resolvers of an interface do not name its fields. */
type Coordinate = CoordinatesOf<Resolvers> | `ServiceLine.${keyof (SimpleLineResolvers | ComparativeLineResolvers)}`;

/** A place that is declared by hand. One that the schema does not have is a compile error: it is the label of a metric. */
export function siteOf(coordinate: Coordinate, wireName: string): Site {
  return { coordinate, wireName };
}

/** The place of a value by what holds it; undefined where that is not known. */
export function placeOf(holder: object | undefined, key: string | number | undefined): Place | undefined {
  return holder === undefined || key === undefined ? undefined : { holder, key };
}

/** UPSTREAM_BAD_RESPONSE for a value that the schema cannot represent. The message names what was expected, and never quotes the value. */
export function unexpectedValue(
  { coordinate, wireName }: Site,
  expected: string,
  value: unknown,
  place?: Place,
): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream sent something unexpected for ${wireName}: ${expected} was expected.`,
    violation: { coordinate, kind: value == null ? 'missing' : 'wrong_type', ...(place !== undefined && { place }) },
  });
}

/** The list that a record holds, its items unchecked; null where there is none. Throws UPSTREAM_BAD_RESPONSE for anything else. */
export function checkedList<Item>(value: readonly Item[] | null | undefined, site: Site, holder: object) {
  if (value == null) return null;
  if (Array.isArray(value)) return value as readonly Item[];
  throw unexpectedValue(site, 'a list', value, placeOf(holder, site.wireName));
}

/** As `checkedList`, of a list that must be there: throws UPSTREAM_BAD_RESPONSE where there is none. */
export function requiredListOf<Item>(
  value: readonly Item[] | null | undefined,
  site: Site,
  holder: object,
): readonly Item[] {
  const list = checkedList(value, site, holder);
  if (list !== null) return list;
  throw unexpectedValue(site, 'a value', value, placeOf(holder, site.wireName));
}

/** An item of a list as it is handed to the executor: an error in its place fails the item, not the list. */
export function itemOf<Row>(row: Row, site: Site, holder: object, index: number): Row | GatewayError {
  return (recordIn(row) as Row | undefined) ?? unexpectedValue(site, 'an object', row, placeOf(holder, index));
}

/** A record as it is handed to the executor. Throws UPSTREAM_BAD_RESPONSE for anything that is no object. */
export function recordOf<Row>(row: Row, site: Site, holder?: object, key: string | number = site.wireName): Row {
  const record = recordIn(row) as Row | undefined;
  if (record !== undefined) return record;
  throw unexpectedValue(site, 'an object', row, placeOf(holder, key));
}
