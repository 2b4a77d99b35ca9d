import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { planSwitches } from '../../../bounds.ts';
import type { Context } from '../../context.ts';
import { fragmentsOf } from '../../document/fragments.ts';
import type { FieldInfo } from '../field-info.ts';
import { compileBytes, type BytePlan, type UseWritten } from '../transcoder/byte-plan.ts';
import { compile, type Program } from './compile.ts';
import type { ProgramCache, Programs } from './program-cache.ts';
import type { Results } from './results.ts';
import { Run } from './run.ts';
import { createSelection, switchesOf, Uncovered, type Selection } from './selection.ts';

type Variables = Readonly<Record<string, unknown>>;

/** The outcome of an execution: its result; or, where the general executor must execute it, what the root fields returned. */
export type Outcome = { readonly result: ExecutionResult } | { readonly result: null; readonly results: Results };

/** An operation of a document, compiled. It holds no data, and serves all callers. */
export interface Plan {
  /** Executes it with coerced variables; null where the general executor must. */
  execute(context: Context, variables: Variables): Outcome | Promise<Outcome> | null;
  /**
   * What is made of its data, which are made of the bytes of the upstream's; null where they cannot tell all that is selected. There
   * may be a reason instead of data: `execute` finds what has been called, and calls nothing again.
   */
  write<Result>(context: Context, variables: Variables, use: UseWritten<Result>): Promise<Result> | null;
}

/** The plan of the query of that name; null for another operation, and for a query that plans do not cover. */
export type Plans = (operationName: string | null | undefined) => Plan | null;

/** Plans the queries of a valid document, each at its first execution. */
export function createPlans(schema: GraphQLSchema, document: DocumentNode, cache: ProgramCache): Plans {
  const known = new Map<string, Plan | null>();
  const fragments = fragmentsOf(document);
  const spreads = Object.fromEntries(fragments);
  const ofFragments = switchesIn([...fragments.values()].map(({ selectionSet }) => selectionSet));
  const root = schema.getQueryType();

  function create(operationName: string | null | undefined): Plan | null {
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY || root == null) return null;
    const { selectionSet } = operation;
    const own = switchesIn([selectionSet]);
    if (own === null || ofFragments === null) return null;
    const switches = [...new Set([...own, ...ofFragments])];
    if (switches.length > planSwitches) return null;
    const selectionFor = (values: readonly boolean[]): Selection =>
      createSelection(schema, fragments, Object.fromEntries(switches.map((name, at) => [name, values[at] === true])));
    const compiler: Compiler = {
      program: (values) => covered(() => compile(schema, root, selectionSet, selectionFor(values))),
      bytes: (values, program, exposeSecrets) =>
        covered(() => compileBytes(schema, root, selectionSet, selectionFor(values), program, exposeSecrets)),
    };
    return planOf(switches, compiler, spreads, cache.open());
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

/** Compiles an operation for the values of its switches. */
interface Compiler {
  readonly program: (values: readonly boolean[]) => Program | null;
  readonly bytes: (values: readonly boolean[], program: Program, exposeSecrets: boolean) => BytePlan | null;
}

function planOf(
  switches: readonly string[],
  compiler: Compiler,
  spreads: FieldInfo['fragments'],
  programs: Programs,
): Plan {
  // With and without secrets: a gateway needs one of the two.
  const hiding = new WeakMap<Program, BytePlan | null>();
  const exposing = new WeakMap<Program, BytePlan | null>();

  function valuesOf(variables: Variables): readonly boolean[] | null {
    // A variable with a default may be null all the same. That is an error, which graphql-js reports at its place.
    if (switches.some((name) => variables[name] === null)) return null;
    return switches.map((name) => variables[name] === true);
  }

  function programFor(values: readonly boolean[]): Program | null {
    const name = values.join();
    const known = programs.get(name);
    if (known !== undefined) return known;
    const program = compiler.program(values);
    programs.set(name, program);
    return program;
  }

  function bytesFor(values: readonly boolean[], program: Program, exposeSecrets: boolean): BytePlan | null {
    const ofBytes = exposeSecrets ? exposing : hiding;
    const known = ofBytes.get(program);
    if (known !== undefined) return known;
    const bytes = compiler.bytes(values, program, exposeSecrets);
    ofBytes.set(program, bytes);
    return bytes;
  }

  return {
    execute(context, variables) {
      const values = valuesOf(variables);
      const program = values && programFor(values);
      return program && run(program, new Run(program.fields, spreads, context, variables));
    },
    write(context, variables, use) {
      const values = valuesOf(variables);
      const program = values && programFor(values);
      const bytes = program && bytesFor(values, program, context.exposeSecrets);
      return bytes && bytes.run(new Run(program.fields, spreads, context, variables), use);
    },
  };
}

/** Null where there are directives that plans do not cover. */
function switchesIn(sets: readonly SelectionSetNode[]): ReadonlySet<string> | null {
  return covered(() => switchesOf(sets));
}

function run({ roots }: Program, current: Run): Outcome | Promise<Outcome> {
  const data: Record<string, unknown> = {};
  // All keys come first, in their order: the values arrive in any order.
  for (const { key } of roots) data[key] = null;
  try {
    for (const { key, index, complete } of roots) {
      if (index === null) data[key] = complete(null, current);
      else current.settleRoot(data, key, index, complete);
    }
  } catch {
    current.handOver();
  }
  const outcome = (): Outcome => {
    const { results, isHandedOver } = current;
    if (isHandedOver) return { result: null, results };
    // An error with a path takes the place of a GraphQLError, as in graphql-js.
    const errors = current.errors as readonly Error[] as readonly GraphQLError[];
    return { result: errors.length === 0 ? { data } : { errors, data } };
  };
  return current.ended()?.then(outcome) ?? outcome();
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
