import { getArgumentValues, isNonNullType, Kind, type FieldNode, type GraphQLField } from 'graphql';
import type { Arguments } from './fixed-arguments.ts';

/** The arguments of a field, for the variables of an operation. */
export type ReadArguments = (variables: Readonly<Record<string, unknown>>) => Arguments;

/** An argument that is a variable and nothing else. */
interface Given {
  readonly name: string;
  readonly variable: string;
  readonly isRequired: boolean;
}

/**
 * A reader of arguments that some variables decide. It has the result of graphql-js, which walks the document each time; where all
 * arguments that are given are variables with values, it takes these, because they have been coerced already.
 */
export function argumentReader(definition: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const readByWalk: ReadArguments = (variables) => getArgumentValues(definition, node, variables);
  const given = givenArguments(definition, node);
  if (given === null) return readByWalk;
  return (variables) => {
    // With a prototype, unlike those of graphql-js: objects without one are slow to read, and slower to copy.
    const values: Record<string, unknown> = {};
    for (const { name, variable, isRequired } of given) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (value === undefined || (value === null && isRequired)) return readByWalk(variables);
      values[name] = value;
    }
    return values;
  };
}

/** Null where one of them is anything else, or one that is not given has a default or must be there. */
function givenArguments({ args }: GraphQLField<unknown, unknown>, node: FieldNode): readonly Given[] | null {
  const given: Given[] = [];
  for (const { name, type, defaultValue } of args) {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    const isRequired = isNonNullType(type);
    if (value?.kind === Kind.VARIABLE) given.push({ name, variable: value.name.value, isRequired });
    else if (value !== undefined || defaultValue !== undefined || isRequired) return null;
  }
  return given;
}
