import {
  GraphQLError,
  responsePathAsArray,
  type ASTNode,
  type GraphQLArgument,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { StacklessError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { checkArguments } from './arguments.ts';
import { fieldsOf, wireFieldOf } from './wire-fields.ts';

type Resolver = GraphQLFieldResolver<unknown, Context>;

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

/**
 * Wraps the resolvers of all fields, except those of introspection, which all schemas of a process share. A field refuses bad arguments at
 * its own cost alone. Its errors have their places, and its promises are handled.
 */
export function wrapResolvers(schema: GraphQLSchema): void {
  for (const { field } of fieldsOf(schema)) {
    const { args: members, resolve, subscribe } = field;
    if (subscribe !== undefined) field.subscribe = checking(subscribe, members);
    if (resolve === undefined) continue;
    // What only reads a record has no arguments and makes no calls.
    const isWire = wireFieldOf(field) !== undefined;
    field.resolve = isWire ? located(resolve) : handling(located(checking(resolve, members)));
  }
}

function checking(resolve: Resolver, members: readonly GraphQLArgument[]): Resolver {
  if (members.length === 0) return resolve;
  return (source, args, context, info) => {
    checkArguments(members, args);
    return resolve(source, args, context, info);
  };
}

/** Adds its place to an error of the field. Plans do not need it: the general executor reports their errors. */
function located(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const { path } = info as Partial<GraphQLResolveInfo>;
    if (path === undefined) return resolve(source, args, context, info);
    try {
      const value = resolve(source, args, context, info);
      return value instanceof Promise ? locatedPromise(value, info) : locatedItems(value, info);
    } catch (error) {
      throw failureOf(error, info);
    }
  };
}

async function locatedPromise(promise: Promise<unknown>, info: GraphQLResolveInfo): Promise<unknown> {
  try {
    return locatedItems(await promise, info);
  } catch (error) {
    throw failureOf(error, info);
  }
}

/** A list whose errors, and those of its promises, have their places; anything else as it is. */
function locatedItems(value: unknown, info: GraphQLResolveInfo): unknown {
  if (!Array.isArray(value) || !value.some((item) => item instanceof Error || item instanceof Promise)) return value;
  return value.map((item: unknown, index) => {
    if (item instanceof Error) return failureOf(item, info, index);
    if (!(item instanceof Promise)) return item;
    return item.catch((error: unknown) => {
      throw failureOf(error, info, index);
    });
  });
}

function failureOf(error: unknown, info: GraphQLResolveInfo, index?: number): FieldFailure {
  if (error instanceof FieldFailure) return error;
  const path: (string | number)[] = responsePathAsArray(info.path);
  if (index !== undefined) path.push(index);
  return new FieldFailure(error, info.fieldNodes, path, `${info.parentType.name}.${info.fieldName}`);
}

/**
 * Marks the promises that a resolver returns, and those in its lists, as handled. An executor that fails at the directive of a field, or at
 * one item of a list, leaves the promises that it has not reached without a listener. Node.js ends the process when one of those is
 * rejected. To await such a promise still throws.
 */
function handling(resolve: Resolver): Resolver {
  return (source, args, context, info) => handled(resolve(source, args, context, info));
}

function handled<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Promise) value.then(handled, ignore);
  else if (Array.isArray(value)) for (const item of value) handled(item);
  return value;
}

function ignore(): void {}
