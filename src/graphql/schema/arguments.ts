import { getNamedType, getNullableType, isInputObjectType, isListType, type GraphQLInputType } from 'graphql';
import { argumentTextBytes } from '../../bounds.ts';
import { badArgument, type ArgumentPath } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { instantOf, isCalendarDate, isDateTime, isLater } from '../../moment.ts';

/** What is wrong with a value: where in it, and what must be there instead. */
interface Fault {
  readonly path: ArgumentPath;
  readonly expected: string;
}

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
  const fault = faultInMembers(members, args, false);
  if (fault !== null) throw badArgument(fault.path, `${fault.path.join('.')} must be ${fault.expected}.`);
}

function faultInMembers(members: readonly Member[], value: unknown, inFilter: boolean): Fault | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const { name, type } of members) {
    const fault = faultIn(type, (value as JsonObject)[name], inFilter || name === 'filter');
    if (fault !== null) return within(name, fault);
  }
  return null;
}

function faultIn(given: GraphQLInputType, value: unknown, inFilter: boolean): Fault | null {
  const type = getNullableType(given);
  if (isListType(type)) return faultInList(type.ofType, value, inFilter);
  if (!isInputObjectType(type)) return faultInText(type.name, value, inFilter);
  return faultInMembers(Object.values(type.getFields()), value, inFilter) ?? faultInRange(value);
}

/**
 * What has both bounds is a range, whatever its name is. Only the API knows which zone it takes for a moment without one, so a day of doubt
 * goes to such a range.
 */
function faultInRange(value: unknown): Fault | null {
  const { gte, lte } = (value ?? {}) as JsonObject;
  if (gte == null || lte == null) return null;
  const [from, to] = [instantOf(gte), instantOf(lte)];
  if (from === null || to === null || !isLater(from, to)) return null;
  return { path: [], expected: 'a range that does not end before it begins' };
}

function faultInList(itemType: GraphQLInputType, value: unknown, inFilter: boolean): Fault | null {
  // The field refuses a bad identifier, or reference, of a list in its own place.
  if (!Array.isArray(value) || ['ID', '_Any'].includes(getNamedType(itemType).name)) return null;
  // A list is sent as one text, with a comma before each item but the first.
  let bytes = -1;
  for (const [index, item] of value.entries()) {
    const fault = faultIn(itemType, item, inFilter);
    if (fault !== null) return within(index, fault);
    if (typeof item === 'string') bytes += Buffer.byteLength(item) + 1;
    if (bytes > argumentTextBytes) return { path: [], expected: `${shortEnough} together` };
  }
  return null;
}

function faultInText(scalar: string, value: unknown, inFilter: boolean): Fault | null {
  if (typeof value !== 'string' || (inFilter && value === '')) return null;
  if (isTooLong(value)) return { path: [], expected: shortEnough };
  const form = forms[scalar];
  return form === undefined || form.accepts(value) ? null : { path: [], expected: form.expected };
}

function within(name: string | number, { path, expected }: Fault): Fault {
  return { path: [name, ...path], expected };
}

/** Whether a text is longer than an argument may be. It takes no more time for a longer text. */
export function isTooLong(text: string): boolean {
  return text.length > argumentTextBytes || Buffer.byteLength(text) > argumentTextBytes;
}

/** What is expected of a text that is too long; the text itself is not quoted. */
export const shortEnough = `at most ${argumentTextBytes} bytes of UTF-8`;
