import { getNamedType, isInputObjectType, isListType, isNonNullType, type GraphQLInputType } from 'graphql';
import { argumentTextBytes } from '../../bounds.ts';
import { badArgument, type ArgumentPath } from '../../errors.ts';
import { instantOf, isCalendarDate, isDateTime, isLater } from '../../moment.ts';

/** What is wrong with a value: where in it, and what must be there instead. */
interface Fault {
  readonly path: ArgumentPath;
  readonly expected: string;
}

/** Null where nothing is wrong. It allocates nothing then, because it runs for each row that has the field. */
type Check = (value: unknown) => Fault | null;

/** What a text must be besides short. */
interface Form {
  readonly accepts: (text: string) => boolean;
  readonly expected: string;
}

/** The scalars that are text, by their names; null for those that take any. */
const texts: Readonly<Record<string, Form | null>> = {
  ID: null,
  String: null,
  Decimal: null,
  Date: { accepts: isCalendarDate, expected: 'a calendar date such as 2026-10-01' },
  DateTime: { accepts: isDateTime, expected: 'an ISO 8601 date-time such as 2026-10-01T08:30:00Z' },
};

/**
 * The check of a field's arguments, decided once for the schema; null where there is nothing to check. No text is longer than
 * `argumentTextBytes`, dates are calendar dates, and no range of moments is reversed. An empty text in a filter is none. It throws
 * BAD_USER_INPUT with the argument's path.
 */
export function argumentCheck(members: readonly Member[]): ((args: unknown) => void) | null {
  const check = membersCheck(members);
  if (check === null) return null;
  return (args) => {
    const fault = check(args);
    if (fault !== null) throw badArgument(fault.path, `${fault.path.join('.')} must be ${fault.expected}.`);
  };
}

interface Member {
  readonly name: string;
  readonly type: GraphQLInputType;
}

function membersCheck(members: readonly Member[], inFilter = false): Check | null {
  const checks = members.flatMap(({ name, type }) => {
    const check = checkOf(type, inFilter || name === 'filter');
    return check === null ? [] : [{ name, check }];
  });
  if (checks.length === 0) return null;
  return (value) => {
    if (typeof value !== 'object' || value === null) return null;
    for (const { name, check } of checks) {
      const fault = check((value as Readonly<Record<string, unknown>>)[name]);
      if (fault !== null) return within(name, fault);
    }
    return null;
  };
}

function checkOf(type: GraphQLInputType, inFilter: boolean): Check | null {
  if (isNonNullType(type)) return checkOf(type.ofType, inFilter);
  if (isListType(type)) return listCheck(type.ofType, inFilter);
  if (!isInputObjectType(type)) return textCheck(type.name, inFilter);
  const members = Object.values(type.getFields());
  const check = membersCheck(members, inFilter);
  // What has both bounds is a range, whatever its name is.
  const bounds = members.filter(
    ({ name, type: bound }) => /^[gl]te$/.test(name) && getNamedType(bound).name === 'DateTime',
  );
  return bounds.length === 2 ? (value) => check?.(value) ?? rangeFault(value) : check;
}

const reversed: Fault = { path: [], expected: 'a range that does not end before it begins' };

/** Only the API knows which zone it takes for a moment without one, so a day of doubt goes to such a range. */
function rangeFault(value: unknown): Fault | null {
  const { gte, lte } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (gte == null || lte == null) return null;
  const [from, to] = [instantOf(gte), instantOf(lte)];
  return from !== null && to !== null && isLater(from, to) ? reversed : null;
}

function listCheck(itemType: GraphQLInputType, inFilter: boolean): Check | null {
  // The field refuses a bad identifier of a list in its own place.
  const check = getNamedType(itemType).name === 'ID' ? null : checkOf(itemType, inFilter);
  if (check === null) return null;
  return (value) => {
    if (!Array.isArray(value)) return null;
    // A list is sent as one text, with a comma before each item but the first.
    let bytes = -1;
    for (const [index, item] of value.entries()) {
      const fault = check(item);
      if (fault !== null) return within(index, fault);
      if (typeof item === 'string') bytes += Buffer.byteLength(item) + 1;
      if (bytes > argumentTextBytes) return { path: [], expected: `${shortEnough} together` };
    }
    return null;
  };
}

function textCheck(name: string, inFilter: boolean): Check | null {
  const form = texts[name];
  if (form === undefined) return null;
  return (value) => {
    if (typeof value !== 'string' || (inFilter && value === '')) return null;
    if (isTooLong(value)) return { path: [], expected: shortEnough };
    return form === null || form.accepts(value) ? null : { path: [], expected: form.expected };
  };
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
