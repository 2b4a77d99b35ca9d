import { gatewayErrorsOf, type ErrorCode, type GatewayError } from '../errors.ts';
import type { Entity } from '../upstream/endpoint.ts';
import { asError, indexOf, type Found, type WantedRow } from './found-row.ts';
import type { Loaders } from './loaders.ts';

/** Retrieves rows by one call for each, side by side (`UPSTREAM_LOOKUP=retrieve`). */
export async function retrieve<Row>(
  entity: Entity<Row>,
  wanted: readonly WantedRow[],
  loaders: Loaders,
): Promise<Found<Row>[]> {
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  return Promise.all(wanted.map(async ({ id }) => found.get(id) ?? (await retrieveOne(entity, id, loaders))));
}

async function retrieveOne<Row>(entity: Entity<Row>, id: string, loaders: Loaders): Promise<Found<Row>> {
  // No path segment can hold these: a URL with them would name another path.
  if (['', '.', '..'].includes(id) || !id.isWellFormed()) return null;
  try {
    return await loaders.load(entity.retrieve, { id });
  } catch (error) {
    return gatewayErrorsOf(error).every(isAbsence) ? null : asError(error);
  }
}

// The codes of a refused request; others mean a refused caller, or a failure of the upstream.
const refusals: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'BAD_USER_INPUT', 'UNPROCESSABLE_ENTITY']);

/**
 * Whether an error means that there is no such row: a 404, or a refusal of the identifier as one that no row can have. A refusal
 * that points at no argument may have any reason.
 */
function isAbsence({ code, argument, upstream }: GatewayError): boolean {
  if (!refusals.has(code)) return false;
  const isRefused = upstream?.status === 400 || upstream?.status === 422;
  return upstream?.status === 404 || (isRefused && argument?.[0] === 'id');
}
