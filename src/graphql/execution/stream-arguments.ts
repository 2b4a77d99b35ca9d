import { GraphQLStreamDirective } from '@graphql-tools/utils';
import { getDirectiveValues, getNullableType, isListType, type GraphQLSchema } from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { FieldInfo } from './field-info.ts';
import { ownFieldsOf } from '../schema/own-fields.ts';
import { keepWireField } from '../schema/wire-fields.ts';

/**
 * Checks the arguments of `@stream` before its list is asked for: a bad one is BAD_USER_INPUT and costs that field alone,
 * whether or not the answer comes in pieces. The executor would look at them when the list is there, and fail.
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

/** Of fields that are merged, all have the same `@stream`: validation sees to it. */
function checkStream({ fieldNodes: [node], variableValues }: FieldInfo): void {
  if (node?.directives === undefined || node.directives.length === 0) return;
  const stream = getDirectiveValues(GraphQLStreamDirective, node, variableValues);
  if (stream === undefined || stream['if'] === false) return;
  const { initialCount } = stream;
  if (typeof initialCount === 'number' && initialCount >= 0) return;
  throw new GatewayError('BAD_USER_INPUT', { message: 'The initialCount of @stream must be 0 or a larger integer.' });
}
