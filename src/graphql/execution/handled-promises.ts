import type { GraphQLSchema } from 'graphql';
import { resolvedFieldsOf } from '../schema/own-fields.ts';

/**
 * Marks the promises that resolvers return, and those in their lists, as handled. An executor that fails at the directive of
 * a field, or at one item of a list, leaves the promises that it has not reached without a listener. Node.js ends the process when one
 * of those is rejected. To await such a promise still throws.
 */
export function handlePromises(schema: GraphQLSchema): void {
  for (const field of resolvedFieldsOf(schema)) {
    const { resolve } = field;
    field.resolve = (source, args, context, info) => handled(resolve(source, args, context, info));
  }
}

function handled<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Promise) value.then(handled, ignore);
  else if (Array.isArray(value)) for (const item of value) handled(item);
  return value;
}

function ignore(): void {}
