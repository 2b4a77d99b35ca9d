import type { GraphQLResolveInfo } from 'graphql';
import type { FollowDeliveries } from '../live/stream.ts';
import type { LookUps } from '../lists/look-ups.ts';
import type { Loaders } from '../lists/loaders.ts';

/** What a resolver gets besides its parent and arguments. Each request has one, and each event of a stream. */
export interface Context {
  readonly loaders: Loaders;
  readonly lookUps: LookUps;
  /** The deliveries that appear from now on. The event of each is executed with a context of its own. */
  readonly followDeliveries: FollowDeliveries;
  /** Whether secrets may be shown to the caller to whom they belong. */
  readonly exposeSecrets: boolean;
  /** Whether graphql-js may complete lists of so many items more: of large bodies it may not do many at a stretch. Absent: any number. */
  readonly mayList?: (items: number) => boolean;
  /** The API's present, in milliseconds since 1970. */
  readonly now: () => number;
  /** How many calls a search through a list may take. */
  readonly scanPages: number;
}

/**
 * What a resolver knows of its field, besides the parent and arguments: the members of graphql-js's `info` that a compiled plan has.
 * The generated types of resolvers have no others (`customResolveInfo` in codegen.yml), so that to read more does not compile.
 */
export type FieldInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;
