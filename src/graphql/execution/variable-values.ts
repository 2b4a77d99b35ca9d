import {
  getNamedType,
  getNullableType,
  getVariableValues,
  GraphQLError,
  isInputObjectType,
  isListType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { digitsOf, isJsonObject, type JsonObject } from '../../json.ts';
import type { Values } from '../document.ts';
import { int32Of } from '../schema/scalars.ts';

/** Errors of the variables of one operation. One more says that there are others. */
export const variableErrors = 10;

/** The variables of an operation as it declares them, or the first errors of those that do not fit: at least one. */
type CoercedVariables =
  | { readonly coerced: Values; readonly errors?: undefined }
  | { readonly coerced?: undefined; readonly errors: readonly GraphQLError[] };

/**
 * Coerces the variables of an operation (GraphQL, section 6.1.2). Their numbers are raw JSON numbers where a double might not hold
 * them. `hideSuggestions` leaves out of the errors which names of the schema might have been meant.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Values,
  hideSuggestions: boolean,
): CoercedVariables {
  // A variable may be called `__proto__`.
  const read = Object.create(null) as Record<string, unknown>;
  for (const { variable, type } of variableDefinitions) {
    const { value: name } = variable.name;
    if (Object.hasOwn(given, name))
      read[name] = withNumbers(given[name], typeFromAST(schema, type) as GraphQLInputType | undefined);
  }
  const outcome = getVariableValues(schema, variableDefinitions, read, { maxErrors: variableErrors, hideSuggestions });
  return outcome.errors === undefined ? outcome : { errors: outcome.errors.map(ofLongInteger) };
}

const integer = /^-?\d+$/;

/** A number that its type does not take. Messages quote the digits that were sent. */
class RefusedNumber {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  toJSON(): string {
    return this.#digits;
  }
}

/** A value of a request with each number as its type takes it: the digits of an ID as a text, an integer of 32 bits as a double. */
function withNumbers(value: unknown, type: GraphQLInputType | undefined): unknown {
  const digits = digitsOf(value);
  // One item may stand for a list of it.
  if (digits !== undefined) return numberFor(value, digits, type && getNamedType(type).name);
  const nullable = type && getNullableType(type);
  if (Array.isArray(value)) {
    const itemType = isListType(nullable) ? nullable.ofType : undefined;
    return value.map((item) => withNumbers(item, itemType));
  }
  if (!isJsonObject(value)) return value;
  const named = type && getNamedType(type);
  // The key of a reference of federation may be an integer too.
  if (named?.name === '_Any') return withMembers(value, (member) => idOf(digitsOf(member)) ?? member);
  if (!isInputObjectType(named)) return withMembers(value, (member) => withNumbers(member, undefined));
  const fields = named.getFields();
  const isKnown = (name: string): boolean => Object.hasOwn(fields, name);
  // graphql-js writes the whole object into the error of each unknown member: of thousands, only those that are told are left.
  let unknown = 0;
  return withMembers(
    value,
    (member, name) => withNumbers(member, isKnown(name) ? fields[name]?.type : undefined),
    (name) => isKnown(name) || unknown++ <= variableErrors,
  );
}

function withMembers(
  object: JsonObject,
  change: (member: unknown, name: string) => unknown,
  isTaken = (_name: string): boolean => true,
): JsonObject {
  const taken = Object.entries(object).filter(([name]) => isTaken(name));
  return Object.fromEntries(taken.map(([name, member]) => [name, change(member, name)]));
}

function numberFor(value: unknown, digits: string, typeName: string | undefined): unknown {
  if (typeName === 'ID') return idOf(digits) ?? new RefusedNumber(digits);
  if (typeof value === 'number') return value;
  return (typeName === 'Int' ? int32Of(value) : undefined) ?? new RefusedNumber(digits);
}

/** The text of an integer; undefined for any other number. */
function idOf(digits: string | undefined): string | undefined {
  return digits !== undefined && integer.test(digits) ? digits : undefined;
}

/** graphql-js calls an integer that no double holds none. */
function ofLongInteger(error: GraphQLError): GraphQLError {
  const message = error.message.replace(/non-integer value: (-?\d+)$/, 'non 32-bit signed integer value: $1');
  return message === error.message ? error : new GraphQLError(message, { nodes: error.nodes ?? null });
}
