import { LRUCache } from 'lru-cache';
import type { Program } from './compile.ts';

/** Compiled programs of all documents by name: those that were used last, so much of them as fits. */
export interface ProgramCache {
  /** Null where it is known that there is none; undefined where nothing is known. */
  get(name: string): Program | null | undefined;
  set(name: string, program: Program | null): void;
}

// Characters of code; as functions they take some three and a half times that.
const mostCode = 8_388_608;
// What a name and a null take, roughly.
const leastWeight = 256;

/** An empty cache. What was dropped is compiled again when it is wanted. */
export function createProgramCache(): ProgramCache {
  // The library holds no null.
  const programs = new LRUCache<string, { readonly program: Program | null }>({
    maxSize: mostCode,
    sizeCalculation: ({ program }) => leastWeight + (program?.codeLength ?? 0),
  });
  return {
    get: (name) => programs.get(name)?.program,
    set: (name, program) => void programs.set(name, { program }),
  };
}
