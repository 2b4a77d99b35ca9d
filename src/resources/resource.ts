import type { Resolvers } from '../generated/schema.ts';
import type { FieldNeeds } from '../graphql/execution/bytes/record-shape.ts';
import type { WireForms } from '../graphql/schema/wire-fields.ts';
import type { FieldCost } from '../limits/field-cost.ts';
import type { AnyEntity, Endpoint, Entity, ListEndpoint } from '../upstream/endpoint.ts';
import { readObject } from '../upstream/response/envelope.ts';

/**
 * What one resource of the API adds to the gateway. Each file of this folder that exports a `resource` is one; the list of all is generated
 * (src/generated/resources.ts).
 */
export interface Resource extends WireForms {
  /**
   * Its rows, where the API lists them. `Query` fields for the list and for one row follow from it, at the coordinates that its endpoints
   * name; so do `nodeId`, `node`, references of a supergraph, costs, and the connection's types.
   */
  readonly entity?: AnyEntity;
  /** Endpoints without rows that are read as they come, each at its coordinate: the transcoder may write them. */
  readonly records?: readonly Endpoint<unknown>[];
  /** What its fields do beyond reading their record by the name on the wire. They come before what follows from `entity`. */
  readonly fields: { readonly [Type in keyof Resolvers]?: Partial<NonNullable<Resolvers[Type]>> };
  /**
   * What of their record these fields read, by coordinate. Where a page shows a field that is neither named here nor read as it comes, its
   * rows are parsed.
   */
  readonly needs?: Readonly<Record<string, FieldNeeds>>;
  /** The most that its fields cost the API, by coordinate; what is not named here and does not follow from `entity` calls nothing. */
  readonly costs?: Readonly<Record<string, FieldCost>>;
}

/** The entity of a type. `Query` has a field of the type's name, which looks one row up; `idNames` are what an error may call its `id`. */
export function entityOf<Row>(
  type: string,
  list: ListEndpoint<Row>,
  idNames: readonly string[],
  { hintName, narrow }: Pick<Entity<Row>, 'hintName' | 'narrow'> = { hintName: null, narrow: () => null },
): Entity<Row> {
  const { freeForm } = list;
  const retrieve: Endpoint<Row> = {
    name: `${list.name}/{id}`,
    coordinate: `Query.${type.charAt(0).toLowerCase()}${type.slice(1)}`,
    path: `${list.path}/{id}`,
    accept: 'application/json',
    parameters: [],
    idNames: ['id', ...idNames],
    read: readObject,
    ...(freeForm !== undefined && { freeForm }),
  };
  return { type, list, retrieve, hintName, narrow };
}
