import type { Resolvers } from '../generated/schema.ts';
import type { FieldCost } from '../limits/field-cost.ts';
import type { AnyEntity, Endpoint } from '../upstream/endpoint.ts';

/**
 * What one resource of the API adds to the gateway. Each file of this folder that exports a `resource` is one; the list of all is generated
 * (src/generated/resources.ts).
 */
export interface Resource {
  /**
   * Its rows, where the API lists them. `Query` fields for the list and for one row follow from it, at the coordinates that its endpoints
   * name; so do `nodeId`, `node`, references of a supergraph, costs, and the connection's types.
   */
  readonly entity?: AnyEntity;
  /** Endpoints without rows that are read as they come, each at its coordinate: the transcoder may write them. */
  readonly records?: readonly Endpoint<unknown>[];
  /** What its fields do beyond reading their record by the name on the wire. They come before what follows from `entity`. */
  readonly fields: { readonly [Type in keyof Resolvers]?: Partial<NonNullable<Resolvers[Type]>> };
  /** The most that its fields cost the API, by coordinate; what is not named here and does not follow from `entity` calls nothing. */
  readonly costs?: Readonly<Record<string, FieldCost>>;
}
