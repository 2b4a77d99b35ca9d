import { GatewayError } from '../../errors.ts';
import { wireNames, type Coordinate } from '../../generated/records.ts';
import { recordIn } from '../../json.ts';

/** Where a value stands: its field in the schema, and its name in the API's own documents. */
export interface Site {
  /** A field of the schema, e.g. `IpConnection.createdAt`. */
  readonly coordinate: string;
  readonly wireName: string;
}

/** A field as a place, under its wire name where no other is given. The schema must have it: it is the label of a metric. */
export function siteOf(coordinate: Coordinate, wireName?: string): Site {
  return { coordinate, wireName: wireName ?? wireNames[coordinate] ?? snakeCaseOf(coordinate) };
}

/** `IpConnection.connectionName` → `connection_name`. */
function snakeCaseOf(coordinate: Coordinate): string {
  return coordinate.slice(coordinate.indexOf('.') + 1).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** UPSTREAM_BAD_RESPONSE for a value that the schema cannot represent. The message names what was expected, and never quotes the value. */
export function unexpectedValue({ coordinate, wireName }: Site, expected: string, value: unknown): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream sent something unexpected for ${wireName}: ${expected} was expected.`,
    violation: { coordinate, kind: value == null ? 'missing' : 'wrong_type' },
  });
}

/** The list that a record holds, its items unchecked; null where there is none. Throws UPSTREAM_BAD_RESPONSE for anything else. */
export function checkedList<Item>(value: readonly Item[] | null | undefined, site: Site) {
  if (value == null) return null;
  if (Array.isArray(value)) return value as readonly Item[];
  throw unexpectedValue(site, 'a list', value);
}

/** Throws UPSTREAM_BAD_RESPONSE, in place of a value that must be there. */
export function missing(site: Site): never {
  throw unexpectedValue(site, 'a value', null);
}

/** A record as it is handed to the executor. Throws UPSTREAM_BAD_RESPONSE for anything that is no object. */
export function recordOf<Row>(row: Row, site: Site): Row {
  const record = recordIn(row);
  if (record === undefined) throw unexpectedValue(site, 'an object', row);
  return record as Row;
}
