import {
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { fragmentsOf, type Values } from '../../document.ts';
import { compileBytes } from '../bytes/byte-plan.ts';
import type { GiveUpReason } from '../bytes/rows.ts';
import type { WrittenData } from '../written-data.ts';
import { compile, runProgram, type Outcome, type Program } from './compile.ts';
import { PlanRun } from './plan-run.ts';
import { createFieldsOf, switchesOf, Uncovered, type FieldsOf } from './selection.ts';

/** Variables in the `@skip` and `@include` of a compiled operation: each combination of their values is compiled for itself. */
const planSwitches = 4;

/** Bytes of memory that the programs of compiled operations take together. */
export const programCacheBytes = 25_165_824;

// What an entry takes besides its program.
const entryBytes = 512;

/** An operation of a document, compiled. It holds no data, and serves all callers. */
export interface Plan {
  /** Executes it with coerced variables; null where the general executor must. */
  execute(context: Context, variables: Values): Promise<Outcome> | null;
  /**
   * Its data, made of the bytes of the upstream's; null where they cannot tell all that is selected. There may be a reason instead of
   * data: `execute` finds what has been called, and calls nothing again.
   */
  write(context: Context, variables: Values): Promise<WrittenData | GiveUpReason> | null;
}

/** The plan of an operation of a valid document; null for one that is no query, and for a query that plans do not cover. */
export type FindPlan = (document: DocumentNode, operation: OperationDefinitionNode) => Plan | null;

/** What an operation has become for some values of its switches: its code, or its tables. */
type Weighed = Pick<Program, 'weight'>;

/**
 * Plans queries, each at its first execution. Of their programs those that were used last are kept; others are made again. Each of the
 * contexts says of secrets what `exposeSecrets` says.
 */
export function createPlans(schema: GraphQLSchema, exposeSecrets: boolean): FindPlan {
  const plans = new WeakMap<OperationDefinitionNode, Plan | null>();
  const programs = new LRUCache<string, { readonly made: Weighed | null }>({
    maxSize: programCacheBytes,
    sizeCalculation: ({ made }) => entryBytes + (made?.weight ?? 0),
  });
  const root = schema.getQueryType();
  let count = 0;

  /** Remembers what `make` makes by the values of the switches, null included. */
  function remember<Made extends Weighed>(make: (values: readonly boolean[]) => Made) {
    const number = count++;
    return (values: readonly boolean[]): Made | null => {
      const key = `${number} ${values.join()}`;
      const kept = programs.get(key) as { readonly made: Made | null } | undefined;
      if (kept !== undefined) return kept.made;
      const made = covered(() => make(values));
      programs.set(key, { made });
      return made;
    };
  }

  function planOf(operation: OperationDefinitionNode, document: DocumentNode): Plan | null {
    const fragments = fragmentsOf(document);
    const switches = covered(() => switchesOf([operation, ...fragments.values()]));
    if (operation.operation !== OperationTypeNode.QUERY || root == null) return null;
    if (switches === null || switches.length > planSwitches) return null;
    const spreads = Object.fromEntries(fragments);
    const fieldsFor = (values: readonly boolean[]): FieldsOf =>
      createFieldsOf(schema, fragments, Object.fromEntries(switches.map((name, at) => [name, values[at] === true])));
    const programFor = remember((values) => {
      const fieldsOf = fieldsFor(values);
      return compile(schema, root, fieldsOf(root, [operation]), fieldsOf);
    });
    const bytesFor = remember((values) => compileBytes(schema, root, operation, fieldsFor(values), exposeSecrets));
    const valuesOf = (variables: Values): readonly boolean[] | null =>
      // A variable with a default may be null all the same. That is an error, which graphql-js reports at its place.
      switches.some((name) => variables[name] === null) ? null : switches.map((name) => variables[name] === true);
    return {
      execute(context, variables) {
        const values = valuesOf(variables);
        const program = values && programFor(values);
        return program && runProgram(program, new PlanRun(program.fields, spreads, context, variables));
      },
      write(context, variables) {
        const values = valuesOf(variables);
        const bytes = values && bytesFor(values);
        return bytes && bytes.run(new PlanRun(bytes.fields, spreads, context, variables));
      },
    };
  }

  return (document, operation) => plans.getOrInsertComputed(operation, () => planOf(operation, document));
}

/** Null where a plan cannot be made. The engine throws a RangeError for code that is too deep. */
function covered<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof Uncovered || error instanceof GraphQLError || error instanceof RangeError) return null;
    throw error;
  }
}
