import type { Results } from './execution/plan/results.ts';
import type { KnownNodes } from './identity/known-nodes.ts';
import type { FollowDeliveries } from '../live/delivery-feeds.ts';
import type { LookUps } from '../lists/look-ups.ts';
import type { Loaders } from '../lists/loaders.ts';

/** What a resolver is handed besides its parent and arguments. Made for each request, and for each event of a stream. */
export interface Context {
  readonly loaders: Loaders;
  readonly lookUps: LookUps;
  readonly knownNodes: KnownNodes;
  /** The deliveries that appear from now on; each of them is answered with a context of its own. */
  readonly followDeliveries: FollowDeliveries;
  /** Whether secrets may be shown to the caller they belong to. */
  readonly exposeSecrets: boolean;
  /** How many pages of a list may be looked through for one row. */
  readonly scanPages: number;
  /** What resolvers returned already, where a compiled operation was handed over: they do not run again. */
  readonly results?: Results;
  /** What a field reads from, where calls are explained: it notes the field's name. */
  readonly at?: (field: string) => Pick<Context, 'loaders' | 'lookUps'>;
}
