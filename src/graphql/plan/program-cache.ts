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
  const programs = new Map<string, Program | null>();
  let held = 0;
  const weightOf = (program: Program | null): number => leastWeight + (program?.codeLength ?? 0);

  return {
    get(name) {
      const program = programs.get(name);
      if (program === undefined) return undefined;
      // A Map remembers the order of insertion: what is put in again is the youngest.
      programs.delete(name);
      programs.set(name, program);
      return program;
    },
    set(name, program) {
      programs.set(name, program);
      held += weightOf(program);
      for (const [oldest, dropped] of programs) {
        if (held <= mostCode) break;
        programs.delete(oldest);
        held -= weightOf(dropped);
      }
    },
  };
}
