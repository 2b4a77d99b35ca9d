import {
  coerceInputValue,
  GraphQLError,
  isInputType,
  isNonNullType,
  print,
  typeFromAST,
  valueFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { quoteLength, variableErrors } from '../../bounds.ts';
import { quoteOf, withShortQuotes } from './message-quote.ts';

type Values = Readonly<Record<string, unknown>>;

/** The variables of an operation as it declares them, or the first errors of those that do not fit: at least one. */
export type CoercedVariables =
  | { readonly coerced: Values; readonly errors?: undefined }
  | { readonly coerced: null; readonly errors: readonly GraphQLError[] };

// A message quotes the value, and the words of graphql-js quote the part that does not fit.
const valueLength = quoteLength / 2;

/** Ends the coercion at the last error that is reported. */
const enough = new Error('There are errors enough.');

/**
 * Coerces the variables of an operation (GraphQL, section 6.1.2). graphql-js does the same, but quotes a whole object for each
 * of its members that does not fit; here a quote is short, and what follows the last error allowed is not looked at.
 * `hideSuggestions` leaves out of the errors which names of the schema might have been meant.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Values,
  hideSuggestions = false,
): CoercedVariables {
  const errors: GraphQLError[] = [];
  const fail = (node: VariableDefinitionNode, message: string): void => {
    const isLast = errors.length === variableErrors - 1;
    const note = isLast ? ' (What follows has not been looked at.)' : '';
    errors.push(new GraphQLError(`Variable "$${node.variable.name.value}" ${message}${note}`, { nodes: node }));
    if (isLast) throw enough;
  };
  try {
    const values: [string, unknown][] = [];
    for (const node of variableDefinitions) {
      const value = valueOf(schema, node, given, { fail: (message) => fail(node, message), hideSuggestions });
      if (value !== undefined) values.push([node.variable.name.value, value]);
    }
    // A variable may have the name of something that every object has.
    if (errors.length === 0) return { coerced: Object.fromEntries(values) };
  } catch (error) {
    if (error !== enough) throw error;
  }
  return { coerced: null, errors };
}

/** What becomes of the errors of one variable. */
interface ErrorSink {
  readonly fail: (message: string) => void;
  readonly hideSuggestions: boolean;
}

/** The value of a variable; undefined where it has none, or does not fit. */
function valueOf(schema: GraphQLSchema, node: VariableDefinitionNode, given: Values, sink: ErrorSink): unknown {
  const { fail } = sink;
  const name = node.variable.name.value;
  const type = typeFromAST(schema, node.type);
  if (!isInputType(type)) {
    fail(`expected value of type "${print(node.type)}" which cannot be used as an input type.`);
    return undefined;
  }
  if (!Object.hasOwn(given, name)) {
    if (node.defaultValue !== undefined) return valueFromAST(node.defaultValue, type);
    if (isNonNullType(type)) fail(`of required type "${String(type)}" was not provided.`);
    return undefined;
  }
  const value = given[name];
  if (value !== null || !isNonNullType(type)) return coerce(value, type, name, sink);
  fail(`of non-null type "${String(type)}" must not be null.`);
  return undefined;
}

function coerce(value: unknown, type: GraphQLInputType, name: string, { fail, hideSuggestions }: ErrorSink): unknown {
  // An object has an error for each of its unknown members.
  let quotes: Map<unknown, string> | null = null;
  return coerceInputValue(
    value,
    type,
    (path, invalid, error) => {
      const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
      const at = place === '' ? '' : ` at "${name}${place}"`;
      quotes ??= new Map();
      const quote = quotes.get(invalid) ?? quoteOf(invalid, valueLength - 20);
      quotes.set(invalid, quote);
      fail(`got invalid value ${quote}${at}; ${withShortQuotes(error.message, valueLength)}`);
    },
    hideSuggestions,
  );
}
