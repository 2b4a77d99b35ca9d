import { GraphQLStreamDirective } from '@graphql-tools/utils';
import { getDirectiveValues, getNullableType, isListType, type GraphQLSchema } from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { FieldInfo } from './field-info.ts';
import { ownFieldsOf } from '../schema/own-fields.ts';
import { keepWireField } from '../schema/wire-fields.ts';

/**
 * Makes each list check the arguments of its `@stream` before it resolves. A bad one is BAD_USER_INPUT and costs that field alone,
 * whether or not the response comes in pieces. The executor would check them after the list has been loaded, and fail.
 */
export function checkStreams(schema: GraphQLSchema): void {
  for (const field of ownFieldsOf(schema)) {
    const { resolve } = field;
    if (!isListType(getNullableType(field.type))) continue;
    field.resolve = (source, args, context, info) => {
      checkStream(info);
      return resolve(source, args, context, info);
    };
    keepWireField(field.resolve, resolve);
  }
}

/** All fields that are merged have the same `@stream`: validation ensures it. */
function checkStream({ fieldNodes: [node], variableValues }: FieldInfo): void {
  if (node?.directives === undefined || node.directives.length === 0) return;
  const stream = getDirectiveValues(GraphQLStreamDirective, node, variableValues);
  if (stream === undefined || stream['if'] === false) return;
  const { initialCount } = stream;
  if (typeof initialCount === 'number' && initialCount >= 0) return;
  throw new GatewayError('BAD_USER_INPUT', { message: 'The initialCount of @stream must be 0 or a larger integer.' });
}
