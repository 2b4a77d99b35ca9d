import {
  coerceInputValue,
  getNamedType,
  getNullableType,
  GraphQLError,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  valueFromAST,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { quoteLength } from '../../bounds.ts';
import { define, digitsOf, isJsonObject, numberOf, type JsonObject } from '../../json.ts';
import type { Values } from '../document.ts';
import { int32Of } from '../schema/scalars.ts';
import { quoteOf, withShortQuotes } from './message-quote.ts';

/** Errors of the variables of one operation. The variables behind them are not checked. */
export const variableErrors = 10;

/** The variables of an operation as it declares them, or the first errors of those that do not fit: at least one. */
export type CoercedVariables =
  | { readonly coerced: Values; readonly errors?: undefined }
  | { readonly coerced: null; readonly errors: readonly GraphQLError[] };

// A message quotes the value, and the words of graphql-js quote the part that does not fit.
const valueLength = quoteLength / 2;

/** Ends the coercion at the last error that is reported. */
const enough = new Error('There are errors enough.');

export type CoerceVariables = (operation: OperationDefinitionNode, given: Values) => CoercedVariables;

/**
 * Creates the coercion of variables (GraphQL, section 6.1.2). graphql-js does the same, but quotes a whole object for each of its
 * members that does not fit; here a quote is short, and what follows the last error allowed is not looked at. `hideSuggestions` leaves
 * out of the errors which names of the schema might have been meant.
 */
export function createVariableCoercion(schema: GraphQLSchema, hideSuggestions = false): CoerceVariables {
  return ({ variableDefinitions = [] }, given) => {
    const coerced: Record<string, unknown> = {};
    const errors: GraphQLError[] = [];
    try {
      for (const node of variableDefinitions) {
        const { value: name } = node.variable.name;
        // A valid document has no others.
        const type = typeFromAST(schema, node.type) as GraphQLInputType;
        const fail = (message: string): void => {
          const isLast = errors.length === variableErrors - 1;
          const note = isLast ? ' (What follows has not been looked at.)' : '';
          errors.push(new GraphQLError(`Variable "$${name}" ${message}${note}`, { nodes: node }));
          if (isLast) throw enough;
        };
        if (Object.hasOwn(given, name)) define(coerced, name, coerce(given[name], type, name, fail, hideSuggestions));
        else if (node.defaultValue !== undefined) define(coerced, name, valueFromAST(node.defaultValue, type));
        else if (isNonNullType(type)) fail(`of required type "${String(type)}" was not provided.`);
      }
    } catch (error) {
      if (error !== enough) throw error;
    }
    return errors.length === 0 ? { coerced } : { coerced: null, errors };
  };
}

const integer = /^-?\d+$/;

/** A value of a request with each number as its type takes it: the digits of an ID as a text, an integer of 32 bits as a double. */
function withNumbers(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  // One item may stand for a list of it.
  if (digitsOf(value) !== undefined) return numberFor(value, getNamedType(type));
  if (isListType(nullable))
    return Array.isArray(value)
      ? value.map((item) => withNumbers(item, nullable.ofType))
      : withNumbers(value, nullable.ofType);
  if (!isJsonObject(value)) return value;
  if (isInputObjectType(nullable)) {
    const fields = nullable.getFields();
    return withMembers(value, (member, name) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return field === undefined ? member : withNumbers(member, field.type);
    });
  }
  // The key of a reference of federation may be an integer too.
  return nullable.name === '_Any' ? withMembers(value, (member) => idOf(member) ?? member) : value;
}

function numberFor(value: unknown, type: GraphQLNamedInputType): unknown {
  if (type.name === 'ID') return idOf(value) ?? value;
  if (type.name === 'Int') return int32Of(value) ?? value;
  // A raw number would be looked at as an object.
  return isInputObjectType(type) ? numberOf(value) : value;
}

/** The text of an integer; undefined for any other value. */
function idOf(value: unknown): string | undefined {
  const digits = digitsOf(value);
  return digits !== undefined && integer.test(digits) ? digits : undefined;
}

function withMembers(object: JsonObject, change: (member: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member, name)]));
}

function coerce(
  given: unknown,
  type: GraphQLInputType,
  name: string,
  fail: (message: string) => void,
  hideSuggestions: boolean,
): unknown {
  const value = withNumbers(given, type);
  if (value === null && isNonNullType(type)) return fail(`of non-null type "${String(type)}" must not be null.`);
  return coerceInputValue(
    value,
    type,
    (path, invalid, error) => {
      const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
      const at = place === '' ? '' : ` at "${name}${place}"`;
      const quote = quoteOf(invalid, valueLength - 20);
      fail(`got invalid value ${quote}${at}; ${withShortQuotes(withDigits(error.message), valueLength)}`);
    },
    hideSuggestions,
  );
}

/** The words of graphql-js with numbers as they were sent: it quotes a raw JSON number as an object. */
function withDigits(message: string): string {
  return message
    .replace(/non-integer value: (?=\{ rawJSON: "-?\d+" \}$)/, 'non 32-bit signed integer value: ')
    .replaceAll(/\{ rawJSON: "([-+.\deE]+)" \}/g, '$1');
}
