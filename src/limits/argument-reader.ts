import { getArgumentValues, isNonNullType, Kind, type FieldNode, type GraphQLField, type ValueNode } from 'graphql';

type Values = Readonly<Record<string, unknown>>;

/** The arguments of one field by the coerced variables of the operation; null where a required one is missing. */
export type ReadArguments = (variables: Values) => Values | null;

/**
 * Reads arguments as `getArgumentValues` does. Constants of the document are read once, and an argument that is a variable takes its
 * coerced value as it is. Only lists and objects that hold variables are read each time.
 */
export function argumentReader(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const given = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]));
  const isWhole = (value: ValueNode): boolean => value.kind === Kind.VARIABLE || !usesVariable(value);
  if (![...given.values()].every(isWhole)) return (variables) => valuesOf(field, node, variables);
  const isOwn = ({ value }: { readonly value: ValueNode }): boolean => value.kind !== Kind.VARIABLE;
  const fixed = { ...node, arguments: (node.arguments ?? []).filter(isOwn) };
  const variable = field.args.flatMap((argument) => {
    const value = given.get(argument.name);
    return value?.kind === Kind.VARIABLE ? [{ argument, variable: value.name.value }] : [];
  });
  const names = new Set(variable.map(({ argument }) => argument.name));
  const constants = valuesOf({ ...field, args: field.args.filter(({ name }) => !names.has(name)) }, fixed, {});
  if (constants === null) return () => null;
  if (variable.length === 0) return () => constants;
  return (variables) => {
    const values: Record<string, unknown> = { ...constants };
    for (const { argument, variable: name } of variable) {
      const value = Object.hasOwn(variables, name) ? variables[name] : argument.defaultValue;
      if (value == null && isNonNullType(argument.type)) return null;
      if (value !== undefined) values[argument.name] = value;
    }
    return values;
  };
}

function valuesOf(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Values): Values | null {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return null;
  }
}

/** Whether a value of a document is a variable, or holds one. */
export function usesVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(usesVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => usesVariable(field.value));
}
