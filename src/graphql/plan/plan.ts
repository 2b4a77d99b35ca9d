import {
  getOperationAST,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from '../context.ts';
import { compile, type Program } from './compile.ts';
import type { ProgramCache } from './program-cache.ts';
import type { Results } from './results.ts';
import { Run } from './run.ts';
import { createSelection, switchesOf, Uncovered } from './selection.ts';

type Variables = Readonly<Record<string, unknown>>;

/** What came of an execution: the answer, or, where only the general executor can tell it, what the root fields returned. */
export type Outcome = { readonly result: ExecutionResult } | { readonly result: null; readonly results: Results };

/** An operation of a document, compiled. It holds no data, and serves all callers. */
export interface Plan {
  /** Executes it with coerced variables; null where it cannot be executed this way. */
  execute(context: Context, variables: Variables): Outcome | Promise<Outcome> | null;
}

// Each combination is compiled for itself; more of them are rare, and left to the general executor.
const mostSwitches = 4;
let plans = 0;

/** Plans the query of that name in a valid document; null where it is something else, or holds what plans do not cover. */
export function createPlan(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  cache: ProgramCache,
): Plan | null {
  const operation = getOperationAST(document, operationName);
  const root = schema.getQueryType();
  if (operation?.operation !== OperationTypeNode.QUERY || root == null) return null;
  const { selectionSet } = operation;
  const fragments = fragmentsOf(document);
  const sets = [selectionSet, ...[...fragments.values()].map((fragment) => fragment.selectionSet)];
  const switches = covered(() => [...switchesOf(sets)]);
  if (switches === null || switches.length > mostSwitches) return null;

  const compileFor = (values: readonly boolean[]): Program | null => {
    const given = new Map(switches.map((name, index) => [name, values[index] === true]));
    return covered(() => compile(schema, root, selectionSet, createSelection(schema, fragments, given)));
  };
  const number = plans++;
  const spreads = Object.fromEntries(fragments);

  return {
    execute(context, variables) {
      // Null can stand there where the variable has a default: an error, and where it belongs is for graphql-js to say.
      if (switches.some((name) => variables[name] === null)) return null;
      const values = switches.map((name) => variables[name] === true);
      const name = `${number} ${values.join()}`;
      const known = cache.get(name);
      const program = known === undefined ? compileFor(values) : known;
      if (known === undefined) cache.set(name, program);
      return program && run(program, new Run(program.fields, spreads, context, variables));
    },
  };
}

function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

function run({ roots }: Program, current: Run): Outcome | Promise<Outcome> {
  const data: Record<string, unknown> = {};
  // All keys first, in their order: their values come as they may.
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
    // What has a path stands for a GraphQLError, here as in graphql-js.
    const errors = current.errors as readonly Error[] as readonly GraphQLError[];
    return { result: errors.length === 0 ? { data } : { errors, data } };
  };
  return current.ended()?.then(outcome) ?? outcome();
}

function covered<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch (error) {
    // The last two are the engine's: of code that is too deep, or too long.
    const isUncovered = error instanceof Uncovered || error instanceof GraphQLError;
    if (isUncovered || error instanceof RangeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
