import {
  Kind,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { ArgumentPath } from '../errors.ts';
import { fieldsIn, fragmentsOf, type Fragments } from '../graphql/document.ts';

type ResponsePath = readonly (string | number)[];

/** The argument of a tool that an error names, or those that do not fit each other; none where the document gives the value. */
export interface NamedArguments {
  readonly argument?: ArgumentPath;
  readonly arguments?: readonly string[];
}

/** Finds the arguments of a tool by what the errors of its operation name. */
export interface ArgumentNames {
  /** The argument that holds the variables of the operation; empty where they are the arguments. */
  readonly variables: ArgumentPath;
  /** The field is named by its path in the response. */
  readonly find: (path: ResponsePath, argument: ArgumentPath) => NamedArguments;
  /** What the tool says of one of its arguments. */
  readonly hint?: (name: string) => string | undefined;
}

/** Creates the search for the variables of an operation, which are the arguments of its tool. */
export function createArgumentNames(document: DocumentNode, operation: OperationDefinitionNode): ArgumentNames {
  const fragments = fragmentsOf(document);
  return {
    variables: [],
    find(path, argument) {
      const fields = fieldsAt(operation.selectionSet, path, fragments);
      const [found] = fields.flatMap((field) => variableAt(field, argument) ?? []);
      if (found !== undefined) return { argument: found };
      // Such as both ends of a range.
      const within = fields.flatMap((field) => variablesIn(valueAt(field, argument)));
      return within.length === 0 ? {} : { arguments: within };
    },
  };
}

function fieldsAt(root: SelectionSetNode, path: ResponsePath, fragments: Fragments): readonly FieldNode[] {
  let sets: readonly SelectionSetNode[] = [root];
  let fields: readonly FieldNode[] = [];
  for (const key of path) {
    if (typeof key === 'number') continue;
    fields = sets.flatMap((set) => fieldsIn(set, fragments)).filter((field) => responseKey(field) === key);
    sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  return fields;
}

function responseKey({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

function variableAt(field: FieldNode, path: ArgumentPath): readonly [ArgumentPath] | undefined {
  for (const index of path.keys()) {
    const value = valueAt(field, path.slice(0, index + 1));
    if (value?.kind === Kind.VARIABLE) return [[value.name.value, ...path.slice(index + 1)]];
  }
  return undefined;
}

/** The value that the document gives at an argument; undefined where it gives none of its own. */
function valueAt({ arguments: args = [] }: FieldNode, path: ArgumentPath): ValueNode | undefined {
  let members: readonly (ArgumentNode | ObjectFieldNode)[] = args;
  let value: ValueNode | undefined;
  for (const key of path) {
    value = members.find(({ name }) => name.value === key)?.value;
    members = value?.kind === Kind.OBJECT ? value.fields : [];
  }
  return value;
}

function variablesIn(value: ValueNode | undefined): readonly string[] {
  if (value?.kind === Kind.VARIABLE) return [value.name.value];
  return value?.kind === Kind.OBJECT ? value.fields.flatMap((field) => variablesIn(field.value)) : [];
}
