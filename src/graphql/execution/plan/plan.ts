import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { planSwitches } from '../../../bounds.ts';
import type { Context } from '../../context.ts';
import { fragmentsOf } from '../../document/fragments.ts';
import type { FieldInfo } from '../field-info.ts';
import { compileBytes, type BytePlan, type UseWritten } from '../bytes/byte-plan.ts';
import { compile, runProgram, type Outcome, type Program } from './compile.ts';
import type { ProgramCache, Programs } from './program-cache.ts';
import { Run } from './run.ts';
import { createSelection, switchesOf, Uncovered, type Selection } from './selection.ts';

type Variables = Readonly<Record<string, unknown>>;

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
    const fieldsFor = (values: readonly boolean[]) => selectionFor(values).fieldsOf(root, [selectionSet]);
    const compiler: Compiler = {
      program: (values) => covered(() => compile(schema, root, fieldsFor(values), selectionFor(values))),
      bytes: (values, exposeSecrets) =>
        covered(() => compileBytes(schema, root, fieldsFor(values), selectionFor(values), exposeSecrets)),
    };
    return planOf(switches, compiler, spreads, cache);
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
  readonly bytes: (values: readonly boolean[], exposeSecrets: boolean) => BytePlan | null;
}

/** A plan whose code and whose tables are made when each is first wanted. */
function planOf(
  switches: readonly string[],
  compiler: Compiler,
  spreads: FieldInfo['fragments'],
  cache: ProgramCache,
): Plan {
  const programs = cache.open<Program>();
  // With and without secrets: a gateway needs one of the two.
  const hiding = cache.open<BytePlan>();
  const exposing = cache.open<BytePlan>();

  function valuesOf(variables: Variables): readonly boolean[] | null {
    // A variable with a default may be null all the same. That is an error, which graphql-js reports at its place.
    if (switches.some((name) => variables[name] === null)) return null;
    return switches.map((name) => variables[name] === true);
  }

  return {
    execute(context, variables) {
      const values = valuesOf(variables);
      const program = values && programFor(programs, values, compiler.program);
      return program && runProgram(program, new Run(program.fields, spreads, context, variables));
    },
    write(context, variables, use) {
      const { exposeSecrets } = context;
      const values = valuesOf(variables);
      const bytes =
        values && programFor(exposeSecrets ? exposing : hiding, values, () => compiler.bytes(values, exposeSecrets));
      return bytes && bytes.run(new Run(bytes.fields, spreads, context, variables), use);
    },
  };
}

/** What is known for these values, or is made of them now. */
function programFor<Made extends Program | BytePlan>(
  programs: Programs<Made>,
  values: readonly boolean[],
  make: (values: readonly boolean[]) => Made | null,
): Made | null {
  const name = values.join();
  const found = programs.get(name);
  if (found !== undefined) return found;
  const made = make(values);
  programs.set(name, made);
  return made;
}

/** Null where there are directives that plans do not cover. */
function switchesIn(sets: readonly SelectionSetNode[]): ReadonlySet<string> | null {
  return covered(() => switchesOf(sets));
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
