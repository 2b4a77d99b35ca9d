import { createLoaders, type Loaders } from './loaders.ts';
import { createCall } from '../upstream/call.ts';
import type { Caller } from '../upstream/caller.ts';
import type { Client } from '../upstream/client.ts';
import type { Explanation } from '../upstream/explanation.ts';
import { createLookUps, type LookUps } from './request-look-ups.ts';
import type { LookUpOptions } from './look-up-options.ts';

/** What resolvers read from. */
export interface Readers {
  readonly loaders: Loaders;
  readonly lookUps: LookUps;
  /** The same readers on behalf of a field, where calls are listed by the fields that ask for them. */
  readonly at?: (field: string) => Readers;
}

/** Readers for one request that record which field asks for which call; they make the same calls as others. */
export function createExplainedReaders(
  client: Client,
  caller: Caller,
  options: LookUpOptions,
  explanation: Explanation,
): Readers {
  const loaders = createLoaders(explanation.over(client), caller);
  // All fields that ask for a search share it, whichever begins it.
  const searching = new Set<string>();
  const lookUps = createLookUps(
    recorded(loaders, explanation, () => [...searching].join(', ')),
    options,
  );

  const at = (field: string): Readers => ({
    loaders: recorded(loaders, explanation, () => field),
    lookUps: {
      refusal: null,
      find(entity, wanted) {
        searching.add(field);
        return lookUps.find(entity, wanted);
      },
      findEach(entity, wanted) {
        searching.add(field);
        return lookUps.findEach(entity, wanted);
      },
      takePromises: (count) => lookUps.takePromises(count),
      of(create) {
        searching.add(field);
        return lookUps.of(create);
      },
    },
    at,
  });
  return at('');
}

function recorded(loaders: Loaders, explanation: Explanation, fields: () => string): Loaders {
  return {
    // A call that cannot be made is explained too.
    refusal: null,
    async load(endpoint, args, page, how) {
      explanation.record(createCall(endpoint, args, page), fields);
      return loaders.load(endpoint, args, page, how);
    },
    // Whoever wants to know has every answer read.
    loadBytes: () => null,
    // Each field asks on its own behalf.
    once: (_key, read) => read(),
    noteViolation: (violation) => loaders.noteViolation(violation),
    rowsOf: (endpoint) => loaders.rowsOf(endpoint),
  };
}
