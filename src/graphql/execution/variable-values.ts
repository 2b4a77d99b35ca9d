import {
  coerceInputValue,
  getNamedType,
  getNullableType,
  GraphQLError,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  print,
  typeFromAST,
  valueFromAST,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { quoteLength } from '../../bounds.ts';
import { digitsOf, isJsonObject, type JsonObject } from '../../json.ts';
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
 * members that does not fit; here a quote is short, and what follows the last error allowed is not looked at. What an operation
 * declares is read once. `hideSuggestions` leaves out of the errors which names of the schema might have been meant.
 */
export function createVariableCoercion(schema: GraphQLSchema, hideSuggestions = false): CoerceVariables {
  const declared = new WeakMap<OperationDefinitionNode, readonly DeclaredVariable[]>();

  function declaredBy(operation: OperationDefinitionNode): readonly DeclaredVariable[] {
    const known = declared.get(operation);
    if (known !== undefined) return known;
    const variables = (operation.variableDefinitions ?? []).map((node) => readDeclaration(schema, node));
    declared.set(operation, variables);
    return variables;
  }

  return (operation, given) => {
    const coerced: Record<string, unknown> = {};
    const sink: ErrorSink = { errors: [], hideSuggestions };
    try {
      for (const variable of declaredBy(operation)) {
        const value = valueOf(variable, given, sink);
        if (value === undefined) continue;
        if (variable.name !== '__proto__') coerced[variable.name] = value;
        else Object.defineProperty(coerced, '__proto__', { value, enumerable: true });
      }
    } catch (error) {
      if (error !== enough) throw error;
    }
    return sink.errors.length === 0 ? { coerced } : { coerced: null, errors: sink.errors };
  };
}

interface DeclaredVariable {
  readonly node: VariableDefinitionNode;
  readonly name: string;
  /** Undefined where it is no type of input. */
  readonly type: GraphQLInputType | undefined;
  /** The scalar or enum that its value is, whether null is allowed or not; null where it is a list or an object. */
  readonly leaf: GraphQLLeafType | null;
}

function readDeclaration(schema: GraphQLSchema, node: VariableDefinitionNode): DeclaredVariable {
  const type = typeFromAST(schema, node.type);
  const inputType = isInputType(type) ? type : undefined;
  const nullable = inputType && getNullableType(inputType);
  return { node, name: node.variable.name.value, type: inputType, leaf: isLeafType(nullable) ? nullable : null };
}

interface ErrorSink {
  readonly errors: GraphQLError[];
  readonly hideSuggestions: boolean;
}

/** Throws `enough` behind the last error that is reported. */
function fail({ node, name }: DeclaredVariable, { errors }: ErrorSink, message: string): void {
  const isLast = errors.length === variableErrors - 1;
  const note = isLast ? ' (What follows has not been looked at.)' : '';
  errors.push(new GraphQLError(`Variable "$${name}" ${message}${note}`, { nodes: node }));
  if (isLast) throw enough;
}

/** The value of a variable; undefined where it has none, or does not fit. */
function valueOf(variable: DeclaredVariable, given: Values, sink: ErrorSink): unknown {
  const { node, name, type, leaf } = variable;
  if (type === undefined) {
    fail(variable, sink, `expected value of type "${print(node.type)}" which cannot be used as an input type.`);
    return undefined;
  }
  if (!Object.hasOwn(given, name)) {
    if (node.defaultValue !== undefined) return valueFromAST(node.defaultValue, type);
    if (isNonNullType(type)) fail(variable, sink, `of required type "${String(type)}" was not provided.`);
    return undefined;
  }
  const value = withNumbers(given[name], type);
  if (value !== null) return (leaf && fitting(value, leaf)) ?? coerce(value, type, variable, sink);
  if (!isNonNullType(type)) return null;
  fail(variable, sink, `of non-null type "${String(type)}" must not be null.`);
  return undefined;
}

const integer = /^-?\d+$/;

/**
 * A value of a request with each number as its type takes it: the digits of an ID as a text, an integer of 32 bits as a double. A number
 * that its type does not take is a symbol that holds its digits, for the message: a double might quote others.
 */
function withNumbers(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  const digits = digitsOf(value);
  // One item may stand for a list of it.
  if (digits !== undefined) return numberFor(value, digits, getNamedType(type));
  if (isListType(nullable))
    return Array.isArray(value) ? withItems(value, nullable.ofType) : withNumbers(value, nullable.ofType);
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

function numberFor(value: unknown, digits: string, type: GraphQLNamedInputType): unknown {
  if (type.name === 'ID') return idOf(value) ?? Symbol(digits);
  // What a double prints as it was sent needs no symbol.
  if (typeof value === 'number') return value;
  return type.name === 'Int' ? (int32Of(value) ?? Symbol(digits)) : Symbol(digits);
}

/** The text of an integer; undefined for any other value. */
function idOf(value: unknown): string | undefined {
  const digits = digitsOf(value);
  return digits !== undefined && integer.test(digits) ? digits : undefined;
}

/** A list with its numbers as their type takes them: the same list where none of them changes. */
function withItems(list: readonly unknown[], type: GraphQLInputType): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (const [index, item] of list.entries()) {
    const changed = withNumbers(item, type);
    if (changed !== item) (copy ??= [...list])[index] = changed;
  }
  return copy ?? list;
}

function withMembers(object: JsonObject, change: (member: unknown, name: string) => unknown): JsonObject {
  let copy: Record<string, unknown> | null = null;
  for (const name of Object.keys(object)) {
    const changed = change(object[name], name);
    if (changed !== object[name]) (copy ??= { ...object })[name] = changed;
  }
  return copy ?? object;
}

/** The value of a leaf, without the detours of `coerceInputValue`; undefined where it does not fit. */
function fitting(value: unknown, leaf: GraphQLLeafType): unknown {
  try {
    return leaf.parseValue(value);
  } catch {
    return undefined;
  }
}

function coerce(value: unknown, type: GraphQLInputType, variable: DeclaredVariable, sink: ErrorSink): unknown {
  // An object has an error for each of its unknown members.
  let quotes: Map<unknown, string> | null = null;
  return coerceInputValue(
    value,
    type,
    (path, invalid, error) => {
      const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
      const at = place === '' ? '' : ` at "${variable.name}${place}"`;
      quotes ??= new Map();
      const quote = quotes.get(invalid) ?? quoteOf(invalid, valueLength - 20);
      quotes.set(invalid, quote);
      const message = typeof invalid === 'symbol' ? ofNumber(error.message, invalid) : withDigits(error.message);
      fail(variable, sink, `got invalid value ${quote}${at}; ${withShortQuotes(message, valueLength)}`);
    },
    sink.hideSuggestions,
  );
}

/** The words of graphql-js with the numbers of lists and objects as they were sent: it quotes a raw JSON number as an object. */
function withDigits(message: string): string {
  return message.replaceAll(/\{ rawJSON: "([-+.\deE]+)" \}/g, '$1');
}

/** The words of graphql-js about the number that a symbol stands for. */
function ofNumber(message: string, number: symbol): string {
  const digits = number.description ?? '';
  const said = message.replace(String(number), () => digits);
  return integer.test(digits) ? said.replace('non-integer value', 'non 32-bit signed integer value') : said;
}
