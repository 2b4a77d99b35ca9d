import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { fragmentsOf, type Fragments, type Values } from '../../document.ts';
import { compileBytes } from '../bytes/byte-plan.ts';
import type { GiveUpReason } from '../bytes/rows.ts';
import type { WrittenData } from '../written-data.ts';
import { compile, runProgram, type Outcome } from './compile.ts';
import { Run } from './run.ts';
import { createSelection, switchesOf, Uncovered, type Selection } from './selection.ts';

/** Variables in the `@skip` and `@include` of a compiled operation: each combination of their values is compiled for itself. */
const planSwitches = 4;

/** Bytes of memory that cached programs of compiled operations take. All caches together take 64 MiB. */
export const programCacheBytes = 25_165_824;

/** An operation of a document, compiled. It holds no data, and serves all callers. */
export interface Plan {
  /** Executes it with coerced variables; null where the general executor must. */
  execute(context: Context, variables: Values): Outcome | Promise<Outcome> | null;
  /**
   * Its data, made of the bytes of the upstream's; null where they cannot tell all that is selected. There may be a reason instead of
   * data: `execute` finds what has been called, and calls nothing again.
   */
  write(context: Context, variables: Values): Promise<WrittenData | GiveUpReason> | null;
}

/** The plan of the query of that name; null for another operation, and for a query that plans do not cover. */
export type Plans = (operationName: string | null | undefined) => Plan | null;

/** Plans the queries of a valid document, each at its first execution. */
export function createPlans(schema: GraphQLSchema, document: DocumentNode, remember: ProgramCache): Plans {
  const known = new Map<string, Plan | null>();
  const fragments = fragmentsOf(document);
  const root = schema.getQueryType();

  function create(operationName: string | null | undefined): Plan | null {
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY || root == null) return null;
    const switches = covered(() => switchesOf([operation, ...fragments.values()]));
    if (switches === null || switches.length > planSwitches) return null;
    return planOf({ schema, root, operation, fragments, switches }, remember);
  }

  return (operationName) => {
    const name = operationName ?? '';
    const plan = known.get(name);
    if (plan !== undefined) return plan;
    const created = create(operationName);
    known.set(name, created);
    return created;
  };
}

interface PlannedQuery {
  readonly schema: GraphQLSchema;
  readonly root: GraphQLObjectType;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The variables that stand in `@skip` and `@include`. */
  readonly switches: readonly string[];
}

/** A plan whose code and whose tables are made when each is first wanted. */
function planOf({ schema, root, operation, fragments, switches }: PlannedQuery, remember: ProgramCache): Plan {
  const spreads = Object.fromEntries(fragments);
  const selectionFor = (values: readonly boolean[]): Selection =>
    createSelection(schema, fragments, Object.fromEntries(switches.map((name, at) => [name, values[at] === true])));
  const programFor = remember((values) => {
    const selection = selectionFor(values);
    return covered(() => compile(schema, root, selection.fieldsOf(root, [operation]), selection));
  });
  const createBytes = (exposeSecrets: boolean) =>
    remember((values) => covered(() => compileBytes(schema, root, operation, selectionFor(values), exposeSecrets)));
  // A gateway needs one of the two.
  const hidingFor = createBytes(false);
  const exposingFor = createBytes(true);

  function valuesOf(variables: Values): readonly boolean[] | null {
    // A variable with a default may be null all the same. That is an error, which graphql-js reports at its place.
    if (switches.some((name) => variables[name] === null)) return null;
    return switches.map((name) => variables[name] === true);
  }

  return {
    execute(context, variables) {
      const values = valuesOf(variables);
      const program = values && programFor(values);
      return program && runProgram(program, new Run(program.fields, spreads, context, variables));
    },
    write(context, variables) {
      const values = valuesOf(variables);
      const bytes = values && (context.exposeSecrets ? exposingFor(values) : hidingFor(values));
      return bytes && bytes.run(new Run(bytes.fields, spreads, context, variables));
    },
  };
}

function covered<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch (error) {
    // The engine throws the last two, for code that is too deep or too long.
    const isUncovered = error instanceof Uncovered || error instanceof GraphQLError;
    if (isUncovered || error instanceof RangeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A program as the cache knows it: the code of an operation, or its tables. */
interface Weighed {
  /** What it takes of the memory, in bytes, roughly. */
  readonly weight: number;
}

/**
 * Remembers what `make` makes of an operation by the values of its switches, null included. It bounds the memory that the programs of
 * all plans take together, of whichever kind: those that were used last are kept, others are made again when they are wanted.
 */
export type ProgramCache = <Made extends Weighed>(
  make: (values: readonly boolean[]) => Made | null,
) => (values: readonly boolean[]) => Made | null;

// What an entry takes besides its program.
const entryBytes = 512;

export function createProgramCache(): ProgramCache {
  let count = 0;
  const entries = new LRUCache<number, { readonly weight: number; readonly drop: () => void }>({
    maxSize: programCacheBytes,
    sizeCalculation: ({ weight }) => weight,
    dispose: ({ drop }) => drop(),
  });

  return <Made extends Weighed>(make: (values: readonly boolean[]) => Made | null) => {
    const programs = new Map<string, { readonly number: number; readonly made: Made | null }>();
    // Programs hold the nodes of their document, which is collected when it is no longer used: the cache does not hold them.
    const ofPlan = new WeakRef(programs);
    return (values) => {
      const name = values.join();
      const kept = programs.get(name);
      if (kept !== undefined) {
        entries.get(kept.number);
        return kept.made;
      }
      const made = make(values);
      const number = count++;
      programs.set(name, { number, made });
      entries.set(number, entryOf(ofPlan, name, entryBytes + (made?.weight ?? 0)));
      return made;
    };
  };
}

/** It must close over nothing that holds the programs. */
function entryOf(ofPlan: WeakRef<Map<string, unknown>>, name: string, weight: number) {
  return { weight, drop: () => void ofPlan.deref()?.delete(name) };
}
