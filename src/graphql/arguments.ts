import {
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import { badArgument, type ArgumentPath } from '../errors.ts';
import { isCalendarDate, isDateTime } from './leaf.ts';

type Check = (value: unknown, path: ArgumentPath) => void;

const texts: Readonly<Record<string, { readonly accepts: (text: string) => boolean; readonly expected: string }>> = {
  Date: { accepts: isCalendarDate, expected: 'a calendar date such as 2026-10-01' },
  DateTime: { accepts: isDateTime, expected: 'an ISO 8601 date-time such as 2026-10-01T08:30:00Z' },
};

/**
 * Checks the dates among a field's arguments when the field is resolved, not when the document is read: a bad one is
 * BAD_USER_INPUT with the argument's path, and costs that field alone. What to check is decided once, for the schema.
 */
export function checkArguments(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const check = membersCheck(field.args);
      const { resolve, subscribe } = field;
      if (check === null) continue;
      if (subscribe !== undefined)
        field.subscribe = (source, args, context, info) => {
          check(args, []);
          return subscribe(source, args, context, info);
        };
      if (resolve === undefined) continue;
      field.resolve = (source, args, context, info) => {
        check(args, []);
        return resolve(source, args, context, info);
      };
    }
  }
}

interface Member {
  readonly name: string;
  readonly type: GraphQLInputType;
}

function membersCheck(members: readonly Member[]): Check | null {
  const checks = members.flatMap(({ name, type }) => {
    const check = checkOf(type);
    return check === null ? [] : [{ name, check }];
  });
  if (checks.length === 0) return null;
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return;
    for (const { name, check } of checks) check((value as Readonly<Record<string, unknown>>)[name], [...path, name]);
  };
}

function checkOf(type: GraphQLInputType): Check | null {
  if (isNonNullType(type)) return checkOf(type.ofType);
  const named = getNamedType(type);
  const check = isInputObjectType(named) ? membersCheck(Object.values(named.getFields())) : textCheck(named.name);
  if (check === null || !isListType(type)) return check;
  return (value, path) => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) check(item, [...path, index]);
  };
}

function textCheck(name: string): Check | null {
  const text = texts[name];
  if (text === undefined) return null;
  return (value, path) => {
    if (typeof value !== 'string' || text.accepts(value)) return;
    throw badArgument(path, `${path.join('.')} must be ${text.expected}.`);
  };
}
