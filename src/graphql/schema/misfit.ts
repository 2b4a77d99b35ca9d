import type { GraphQLScalarType } from 'graphql';
import { GatewayError, type Place } from '../../errors.ts';
import type { ComparativeLineResolvers, Resolvers, SimpleLineResolvers } from '../../generated/schema.ts';

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
export type Coordinate =
  CoordinatesOf<Resolvers> | `ServiceLine.${keyof (SimpleLineResolvers | ComparativeLineResolvers)}`;

/** The types of the schema that have this field. */
export type TypeWith<Field extends string> = Coordinate extends infer Each
  ? Each extends `${infer Name}.${Field}`
    ? Name
    : never
  : never;

/** A place that is declared by hand. One that the schema does not have is a compile error: it is the label of a metric. */
export function siteOf(coordinate: Coordinate, wireName: string): Site {
  return { coordinate, wireName };
}

/** The place of a value by what holds it; undefined where that is not known. */
export function placeOf(holder: object | undefined, key: string | number | undefined): Place | undefined {
  return holder === undefined || key === undefined ? undefined : { holder, key };
}

/** UPSTREAM_BAD_RESPONSE for a value that the schema cannot represent. The message names what was expected, and never quotes the value. */
export function misfit({ coordinate, wireName }: Site, expected: string, value: unknown, place?: Place): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream sent something unexpected for ${wireName}: ${expected} was expected.`,
    violation: { coordinate, kind: value == null ? 'missing' : 'wrong_type', ...(place !== undefined && { place }) },
  });
}
