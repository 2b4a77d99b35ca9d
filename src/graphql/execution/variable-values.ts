import {
  coerceInputValue,
  getNullableType,
  GraphQLError,
  isInputType,
  isLeafType,
  isNonNullType,
  print,
  typeFromAST,
  valueFromAST,
  type GraphQLInputType,
  type GraphQLLeafType,
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

/** Coerces the variables that a client sent for an operation. */
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
    const variables = declaredBy(operation);
    return coerceEach(variables, given) ?? reportEach(variables, given, hideSuggestions);
  };
}

/** A variable as its operation declares it. */
interface DeclaredVariable {
  readonly node: VariableDefinitionNode;
  readonly name: string;
  /** Undefined where it is no type of input. */
  readonly type: GraphQLInputType | undefined;
  readonly isRequired: boolean;
  /** The scalar or enum that its value is, whether null is allowed or not; null where it is a list or an object. */
  readonly leaf: GraphQLLeafType | null;
}

function readDeclaration(schema: GraphQLSchema, node: VariableDefinitionNode): DeclaredVariable {
  const type = typeFromAST(schema, node.type);
  const inputType = isInputType(type) ? type : undefined;
  const nullable = inputType && getNullableType(inputType);
  const leaf = isLeafType(nullable) ? nullable : null;
  return { node, name: node.variable.name.value, type: inputType, isRequired: isNonNullType(type), leaf };
}

/** Null where one does not fit: then each is looked at with its errors. */
function coerceEach(variables: readonly DeclaredVariable[], given: Values): CoercedVariables | null {
  const coerced: Record<string, unknown> = {};
  try {
    for (const variable of variables) {
      const value = fittingValue(variable, given);
      if (value !== undefined) coerced[variable.name] = value;
    }
    return { coerced };
  } catch {
    return null;
  }
}

/** The value of a variable; undefined where it has none. Throws where it does not fit. */
function fittingValue({ node, name, type, leaf, isRequired }: DeclaredVariable, given: Values): unknown {
  // A variable may have the name of something that every object has.
  if (type === undefined || name === '__proto__') return misfit();
  if (!Object.hasOwn(given, name)) {
    if (node.defaultValue !== undefined) return valueFromAST(node.defaultValue, type);
    return isRequired ? misfit() : undefined;
  }
  const value = given[name];
  if (value === null) return isRequired ? misfit() : null;
  const parsed: unknown = leaf === null ? coerceInputValue(value, type, misfit) : leaf.parseValue(value);
  return parsed === undefined ? misfit() : parsed;
}

const doesNotFit = new Error('A variable does not fit.');

function misfit(): never {
  throw doesNotFit;
}

function reportEach(variables: readonly DeclaredVariable[], given: Values, hideSuggestions: boolean): CoercedVariables {
  const errors: GraphQLError[] = [];
  const fail = ({ node, name }: DeclaredVariable, message: string): void => {
    const isLast = errors.length === variableErrors - 1;
    const note = isLast ? ' (What follows has not been looked at.)' : '';
    errors.push(new GraphQLError(`Variable "$${name}" ${message}${note}`, { nodes: node }));
    if (isLast) throw enough;
  };
  try {
    const values: [string, unknown][] = [];
    for (const variable of variables) {
      const value = valueOf(variable, given, { fail: (message) => fail(variable, message), hideSuggestions });
      if (value !== undefined) values.push([variable.name, value]);
    }
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
function valueOf({ node, name, type, isRequired }: DeclaredVariable, given: Values, sink: ErrorSink): unknown {
  const { fail } = sink;
  if (type === undefined) {
    fail(`expected value of type "${print(node.type)}" which cannot be used as an input type.`);
    return undefined;
  }
  if (!Object.hasOwn(given, name)) {
    if (node.defaultValue !== undefined) return valueFromAST(node.defaultValue, type);
    if (isRequired) fail(`of required type "${String(type)}" was not provided.`);
    return undefined;
  }
  const value = given[name];
  if (value !== null || !isRequired) return coerce(value, type, name, sink);
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
