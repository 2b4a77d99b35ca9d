import { GatewayError, type Place } from '../../errors.ts';

/** Where a value stands: in the schema, and by the name that the upstream's own documents have for it. */
export interface Site {
  /** A field of the schema, e.g. `IpConnection.createdAt`. */
  readonly coordinate: string;
  readonly wireName: string;
}

const coordinates = new Set<string>();

/** A place that is declared by hand; the schema refuses to start with one that it does not have. */
export function siteOf(coordinate: string, wireName: string): Site {
  coordinates.add(coordinate);
  return { coordinate, wireName };
}

/** All coordinates that were declared. */
export function declaredCoordinates(): ReadonlySet<string> {
  return coordinates;
}

/** UPSTREAM_BAD_RESPONSE for a value that the schema cannot represent: the message says what was expected, never what came. */
export function misfit({ coordinate, wireName }: Site, expected: string, value: unknown, place?: Place): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream sent something unexpected for ${wireName}: ${expected} was expected.`,
    violation: { coordinate, kind: value == null ? 'missing' : 'wrong_type', ...(place !== undefined && { place }) },
  });
}
