import { getNamedType, getNullableType, isInputObjectType, isListType, type GraphQLInputType } from 'graphql';
import { argumentTextBytes } from '../../bounds.ts';
import { badArgument, type ArgumentPath } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { instantOf, isCalendarDate, isDateTime, isLater } from '../../moment.ts';

/** What texts of some scalars must be besides short. */
const forms: Readonly<Record<string, { readonly accepts: (text: string) => boolean; readonly expected: string }>> = {
  Date: { accepts: isCalendarDate, expected: 'a calendar date such as 2026-10-01' },
  DateTime: { accepts: isDateTime, expected: 'an ISO 8601 date-time such as 2026-10-01T08:30:00Z' },
};

interface Member {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/**
 * Checks the arguments of a field. No text is longer than `argumentTextBytes`, dates are calendar dates, and no range of moments is
 * reversed. An empty text in a filter is none. Throws BAD_USER_INPUT with the argument's path.
 */
export function checkArguments(members: readonly Member[], args: unknown): void {
  checkMembers(members, args, [], false);
}

function refuse(path: ArgumentPath, expected: string): never {
  throw badArgument(path, `${path.join('.')} must be ${expected}.`);
}

function checkMembers(members: readonly Member[], value: unknown, path: ArgumentPath, inFilter: boolean): void {
  if (typeof value !== 'object' || value === null) return;
  for (const { name, type } of members)
    checkValue(type, (value as JsonObject)[name], [...path, name], inFilter || name === 'filter');
}

function checkValue(given: GraphQLInputType, value: unknown, path: ArgumentPath, inFilter: boolean): void {
  const type = getNullableType(given);
  if (isListType(type)) checkList(type.ofType, value, path, inFilter);
  else if (isInputObjectType(type)) {
    checkMembers(Object.values(type.getFields()), value, path, inFilter);
    checkRange(value, path);
  } else checkText(type.name, value, path, inFilter);
}

/**
 * What has both bounds is a range, whatever its name is. Only the API knows which zone it takes for a moment without one, so a day of doubt
 * goes to such a range.
 */
function checkRange(value: unknown, path: ArgumentPath): void {
  const { gte, lte } = (value ?? {}) as JsonObject;
  if (gte == null || lte == null) return;
  const [from, to] = [instantOf(gte), instantOf(lte)];
  if (from !== null && to !== null && isLater(from, to)) refuse(path, 'a range that does not end before it begins');
}

function checkList(itemType: GraphQLInputType, value: unknown, path: ArgumentPath, inFilter: boolean): void {
  // The field refuses a bad identifier, or reference, of a list in its own place.
  if (!Array.isArray(value) || ['ID', '_Any'].includes(getNamedType(itemType).name)) return;
  // A list is sent as one text, with a comma before each item but the first.
  let bytes = -1;
  for (const [index, item] of value.entries()) {
    checkValue(itemType, item, [...path, index], inFilter);
    if (typeof item === 'string') bytes += Buffer.byteLength(item) + 1;
    if (bytes > argumentTextBytes) refuse(path, `${shortEnough} together`);
  }
}

function checkText(scalar: string, value: unknown, path: ArgumentPath, inFilter: boolean): void {
  if (typeof value !== 'string' || (inFilter && value === '')) return;
  if (isTooLong(value)) refuse(path, shortEnough);
  const form = forms[scalar];
  if (form !== undefined && !form.accepts(value)) refuse(path, form.expected);
}

/** Whether a text is longer than an argument may be. It takes no more time for a longer text. */
export function isTooLong(text: string): boolean {
  return text.length > argumentTextBytes || Buffer.byteLength(text) > argumentTextBytes;
}

/** What is expected of a text that is too long; the text itself is not quoted. */
export const shortEnough = `at most ${argumentTextBytes} bytes of UTF-8`;
