import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import {
  getNamedType,
  GraphQLNonNull,
  GraphQLString,
  isLeafType,
  isObjectType,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { checkArguments } from './arguments.ts';
import type { Context } from '../context.ts';
import { locateFailures } from '../execution/field-failure.ts';
import { handlePromises } from '../execution/handled-promises.ts';
import { resolvedFieldsOf } from './own-fields.ts';
import { checkStreams } from '../execution/stream-arguments.ts';
import { withIncrementalDirectives } from './type-defs.ts';
import { fieldReader, readFromRecords, wireFieldOf } from './wire-fields.ts';

/** Resolvers by type and field. */
export type FieldResolvers = Readonly<Record<string, object>>;

/**
 * The executable schema: what federation adds, resolvers where they were written, records for every other field, dates
 * checked at their fields. Throws where a field of the root has no resolver.
 */
export function createSchema(typeDefs: DocumentNode, resolvers: FieldResolvers): GraphQLSchema {
  const schema = addResolversToSchema({
    schema: buildSubgraphSchema([{ typeDefs }]),
    resolvers: resolvers as IResolvers,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  const unresolved = Object.values(schema.getQueryType()?.getFields() ?? {}).find(
    ({ resolve }) => resolve === undefined,
  );
  if (unresolved !== undefined) throw new Error(`Query.${unresolved.name} has no resolver.`);
  promiseSdl(schema);
  keepReaders(schema, resolvers);
  readFromRecords(schema);
  checkArguments(schema);
  checkStreams(schema);
  placeFields(schema);
  locateFailures(schema);
  handlePromises(schema);
  return withIncrementalDirectives(schema);
}

/**
 * Makes the reader of each field whose resolver is a `wireField`: only the schema knows the type of the field. graphql-tools has bound the
 * resolver, so that its mark is lost.
 */
function keepReaders(schema: GraphQLSchema, byType: Readonly<Record<string, object>>): void {
  for (const [typeName, ofType] of Object.entries(byType)) {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) continue;
    for (const [name, resolve] of Object.entries(ofType)) {
      const field = type.getFields()[name];
      const read = wireFieldOf(resolve);
      if (field === undefined || read === undefined) continue;
      field.resolve = fieldReader({ coordinate: `${typeName}.${name}`, wireName: read.name }, field.type, read.leaf);
    }
  }
}

/** The names that lead to a field, without the positions in lists. */
function nameOf(path: GraphQLResolveInfo['path'] | undefined): string {
  if (path === undefined) return '';
  const before = nameOf(path.prev);
  if (typeof path.key === 'number') return before;
  return before === '' ? path.key : `${before}.${path.key}`;
}

/**
 * Where calls are explained, each field reads under its own name. A field that has already run for this request and this object
 * does not run again (context.ts).
 */
function placeFields(schema: GraphQLSchema): void {
  for (const field of resolvedFieldsOf(schema)) {
    const { resolve } = field;
    const again = isLeafType(getNamedType(field.type)) ? resolve : replayed(resolve);
    field.resolve = (source, args, context: Context, info) =>
      context.at === undefined
        ? again(source, args, context, info)
        : resolve(source, args, { ...context, ...context.at(nameOf(info.path)) }, info);
  }
}

function replayed(resolve: GraphQLFieldResolver<unknown, Context>): GraphQLFieldResolver<unknown, Context> {
  return (source, args, context, info) => {
    const results = context.results?.get(source);
    const [node] = info.fieldNodes;
    return node !== undefined && results?.has(node) === true ? results.get(node) : resolve(source, args, context, info);
  };
}

/** The subgraph specification has `_Service { sdl: String! }`; the library makes it nullable. */
function promiseSdl(schema: GraphQLSchema): void {
  const service = schema.getType('_Service');
  const sdl = isObjectType(service) ? service.getFields()['sdl'] : undefined;
  if (sdl !== undefined) sdl.type = new GraphQLNonNull(GraphQLString);
}
