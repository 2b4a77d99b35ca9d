import {
  isNonNullType,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { quote } from './code.ts';
import { OperationCode, type Nodes } from './operation-code.ts';
import { weightOfFields, type ResolvedField } from './resolved-field.ts';
import type { Results } from './results.ts';
import type { Complete, Run } from './run.ts';
import { Uncovered, type Selection } from './selection.ts';

/** A field of the root, and what makes its part of the response of what its resolver returns. */
export interface RootField {
  readonly key: string;
  /** Among `fields` of the program; null for `__typename`. */
  readonly index: number | null;
  readonly complete: Complete;
}

/** What an operation has become. It holds no data of anybody. */
export interface Program {
  readonly roots: readonly RootField[];
  readonly fields: readonly ResolvedField[];
  /** What it takes of the memory, in bytes, roughly. */
  readonly weight: number;
}

/** The outcome of an execution: its result; or, where the general executor must execute it, what the root fields returned. */
export type Outcome = { readonly result: ExecutionResult } | { readonly result: null; readonly results: Results };

// Text, bytecode and closures.
const bytesPerCharacter = 6;

/**
 * Compiles fields of the root of an operation: one function for each object that is selected from, which builds its part of the
 * response as a literal. Fields of a record are read in place by their wire names, others come from their resolvers. Where a
 * value is not as it should be the function throws, and the general executor answers. Throws `Uncovered` where that is known
 * from the start.
 */
export function compile(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  fields: Iterable<readonly [key: string, nodes: Nodes]>,
  selection: Selection,
): Program {
  const operation = new OperationCode(schema, selection);
  const roots = [...fields].map(([key, nodes]) => planRoot(operation, root, key, nodes));
  const completes = operation.code.link<Complete>(roots.map(({ name }) => name));
  const { code } = operation;
  return {
    fields: operation.fields,
    weight: code.length * bytesPerCharacter + weightOfFields(operation.fields),
    roots: roots.map(({ key, index }, at) => ({ key, index, complete: completes[at] as Complete })),
  };
}

/** A root field by the name of the function that completes it. */
interface PlannedRoot extends Omit<RootField, 'complete'> {
  readonly name: string;
}

function planRoot(operation: OperationCode, root: GraphQLObjectType, key: string, nodes: Nodes): PlannedRoot {
  // A key that cannot stand in code is left to the general executor.
  quote(key);
  const fieldName = nodes[0].name.value;
  if (fieldName === '__typename') return { key, index: null, name: operation.textOf(root.name) };
  const definition = root.getFields()[fieldName];
  // A field that must not be null would take the whole response with it.
  if (definition === undefined || isNonNullType(definition.type)) throw new Uncovered();
  const index = operation.addField(root, nodes);
  return { key, index, name: operation.rootCompletionOf(definition.type, index, key) };
}

/** Executes a program. */
export function runProgram({ roots }: Program, current: Run): Outcome | Promise<Outcome> {
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
