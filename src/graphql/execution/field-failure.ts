import { GraphQLError, responsePathAsArray, type ASTNode, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql';
import { StacklessError } from '../../errors.ts';
import { ownFieldsOf } from '../schema/own-fields.ts';
import { keepWireField } from '../schema/wire-fields.ts';

/**
 * An error, and its place in the response. graphql-js passes on an error that has a path. Of any other it makes a GraphQLError, which
 * takes a hundred times as long as the field itself, and most of a flood of errors are only counted.
 */
export class FieldFailure extends StacklessError {
  readonly originalError: unknown;
  readonly nodes: readonly ASTNode[];
  readonly path: readonly (string | number)[];
  /** The field in the schema, e.g. `IpConnection.createdAt`. */
  readonly coordinate: string;
  readonly extensions: Readonly<Record<string, unknown>> = {};

  constructor(
    originalError: unknown,
    nodes: readonly ASTNode[],
    path: readonly (string | number)[],
    coordinate: string,
  ) {
    super();
    this.originalError = originalError;
    this.nodes = (originalError instanceof GraphQLError ? originalError.nodes : undefined) ?? nodes;
    this.path = path;
    this.coordinate = coordinate;
  }
}

/** Makes each field add its place to its error. Plans do not need it: the general executor reports their errors. */
export function locateFailures(schema: GraphQLSchema): void {
  for (const field of ownFieldsOf(schema)) {
    const { resolve } = field;
    field.resolve = (source, args, context, info) => {
      const { path } = info as Partial<GraphQLResolveInfo>;
      if (path === undefined) return resolve(source, args, context, info);
      try {
        return located(resolve(source, args, context, info), info);
      } catch (error) {
        throw failureOf(error, info);
      }
    };
    keepWireField(field.resolve, resolve);
  }
}

function located(value: unknown, info: GraphQLResolveInfo): unknown {
  if (value instanceof Promise)
    return value.then(
      (result: unknown) => locatedItems(result, info),
      (error: unknown) => {
        throw failureOf(error, info);
      },
    );
  return locatedItems(value, info);
}

/** A list whose errors, and those of its promises, have their places; anything else as it is. */
function locatedItems(value: unknown, info: GraphQLResolveInfo): unknown {
  if (!Array.isArray(value) || !value.some(mayFail)) return value;
  return value.map((item: unknown, index) => {
    if (item instanceof Error) return failureOf(item, info, index);
    if (!(item instanceof Promise)) return item;
    return item.catch((error: unknown) => {
      throw failureOf(error, info, index);
    });
  });
}

function mayFail(item: unknown): boolean {
  return item instanceof Error || item instanceof Promise;
}

function failureOf(error: unknown, info: GraphQLResolveInfo, index?: number): FieldFailure {
  if (error instanceof FieldFailure) return error;
  const path: (string | number)[] = responsePathAsArray(info.path);
  if (index !== undefined) path.push(index);
  return new FieldFailure(error, info.fieldNodes, path, `${info.parentType.name}.${info.fieldName}`);
}
