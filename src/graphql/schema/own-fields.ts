import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { wireFieldOf } from './wire-fields.ts';

/** A field with a resolver. */
export interface OwnField extends GraphQLField<unknown, Context> {
  resolve: GraphQLFieldResolver<unknown, Context>;
}

/** All fields that have a resolver, except those of introspection, which all schemas of a process share. */
export function ownFieldsOf(schema: GraphQLSchema): readonly OwnField[] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const own = types.filter(({ name }) => !name.startsWith('__'));
  const fields = own.flatMap((type) => Object.values(type.getFields()));
  return fields.filter((field): field is OwnField => field.resolve !== undefined);
}

/** The fields whose resolvers do more than read a record by the wire name. */
export function resolvedFieldsOf(schema: GraphQLSchema): readonly OwnField[] {
  return ownFieldsOf(schema).filter(({ resolve }) => wireFieldOf(resolve) === undefined);
}
