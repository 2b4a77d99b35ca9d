import { isNonNullType, type GraphQLObjectType, type GraphQLSchema, type SelectionSetNode } from 'graphql';
import { quote } from './code.ts';
import { OperationCode, type Nodes } from './operation-code.ts';
import { weightOfFields, type ResolvedField } from './resolved-field.ts';
import type { Complete } from './run.ts';
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

// Text, bytecode and closures.
const bytesPerCharacter = 6;

/**
 * Compiles the selection of an operation: one function for each object that is selected from, which builds its part of the
 * response as a literal. Fields of a record are read in place by their wire names, others come from their resolvers. Where a
 * value is not as it should be the function throws, and the general executor answers. Throws `Uncovered` where that is known
 * from the start.
 */
export function compile(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  rootSet: SelectionSetNode,
  selection: Selection,
): Program {
  const operation = new OperationCode(schema, selection);
  const roots = [...selection.fieldsOf(root, [rootSet])].map(([key, nodes]) => planRoot(operation, root, key, nodes));
  const completes = operation.code.link<Complete>(roots.map(({ name }) => name));
  const { code, fields } = operation;
  return {
    fields,
    weight: code.length * bytesPerCharacter + weightOfFields(fields),
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
