import type { Loaders } from '../loaders/loaders.ts';

/** What a resolver is handed besides its parent and arguments. Made for each request. */
export interface Context {
  readonly loaders: Loaders;
  /** Whether secrets may be shown to the caller they belong to. */
  readonly exposeSecrets: boolean;
}
