import { getArgumentValues, Kind, visit, type FieldNode, type GraphQLField } from 'graphql';

/** The arguments of a field as its resolver takes them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a field, frozen because all callers share them; null where a variable decides one of them. */
export function fixedArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): Arguments | null {
  return hasVariables(node) ? null : frozen(getArgumentValues(definition, node, {}));
}

/** How many values the arguments hold, members of lists and objects included. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 1);
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

function hasVariables({ arguments: args = [] }: FieldNode): boolean {
  let found = false;
  for (const { value } of args) visit(value, { [Kind.VARIABLE]: () => void (found = true) });
  return found;
}
