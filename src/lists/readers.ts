import { createCall } from '../upstream/call.ts';
import type { Caller } from '../upstream/caller.ts';
import type { Client } from '../upstream/client.ts';
import type { Explanation } from '../upstream/explanation.ts';
import { createLoaders, type Loaders } from './loaders.ts';
import { createLookUps, type LookUpOptions, type LookUps } from './look-ups.ts';

/** What resolvers read from. */
export interface Readers {
  readonly loaders: Loaders;
  readonly lookUps: LookUps;
  /** The same readers on behalf of a field, where calls are listed by the fields that ask for them. */
  readonly at?: (field: string) => Readers;
}

/** Readers for one request. With an explanation, they record in it which field asks for which call; they make the same calls. */
export function createReaders(
  client: Client,
  caller: Caller,
  options: LookUpOptions,
  explanation: Explanation | null,
): Readers {
  if (explanation !== null) return createExplainedReaders(client, caller, options, explanation);
  const loaders = createLoaders(client, caller);
  return { loaders, lookUps: createLookUps(loaders, options) };
}

function createExplainedReaders(
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
    once: (key, read) => loaders.once(`${fields()} ${key}`, read),
    noteViolation: (violation) => loaders.noteViolation(violation),
    bodiesOf: (endpoint) => loaders.bodiesOf(endpoint),
    rowsOf: (endpoint) => loaders.rowsOf(endpoint),
  };
}
