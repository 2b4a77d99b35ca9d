import { LRUCache } from 'lru-cache';
import { programCacheBytes } from '../../../bounds.ts';

/** A program as this cache knows it: the code of an operation, or its tables. */
interface Weighed {
  /** What it takes of the memory, in bytes, roughly. */
  readonly weight: number;
}

/** The programs of one plan by the values of its switches; null where it is known that there is none. */
export interface Programs<Compiled extends Weighed> {
  /** Undefined where nothing is known. */
  get(values: string): Compiled | null | undefined;
  set(values: string, program: Compiled | null): void;
}

/** Bounds the memory that the programs of all plans take together, of whichever kind. The programs that were used last are kept. */
export interface ProgramCache {
  /** The programs of one kind of a new plan. They go with the plan: the cache does not hold it. */
  open<Compiled extends Weighed>(): Programs<Compiled>;
}

interface Entry {
  readonly ofPlan: WeakRef<{ delete(values: string): unknown }>;
  readonly values: string;
  readonly weight: number;
}

// What an entry takes besides its program.
const entryBytes = 512;

/** An empty cache. What was dropped is compiled again when it is wanted. */
export function createProgramCache(): ProgramCache {
  let count = 0;
  const places = new LRUCache<number, Entry>({
    maxSize: programCacheBytes,
    sizeCalculation: ({ weight }) => weight,
    dispose: ({ ofPlan, values }) => void ofPlan.deref()?.delete(values),
  });

  return {
    open<Compiled extends Weighed>(): Programs<Compiled> {
      const programs = new Map<string, { readonly number: number; readonly program: Compiled | null }>();
      // Programs hold the nodes of their document, which is collected when it is no longer used.
      const ofPlan = new WeakRef(programs);
      return {
        get(values) {
          const kept = programs.get(values);
          if (kept !== undefined) places.get(kept.number);
          return kept?.program;
        },
        set(values, program) {
          const number = count++;
          programs.set(values, { number, program });
          places.set(number, { ofPlan, values, weight: entryBytes + (program?.weight ?? 0) });
        },
      };
    },
  };
}
