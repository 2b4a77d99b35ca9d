import { valueAt, type Arguments } from '../upstream/endpoint.ts';

/** Whether a filter can have let a row through; null where the row does not show it. */
type Verdict = (row: unknown) => boolean | null;

/** A filter whose effect can be seen in rows beyond doubt; null where it is not given, or where its meaning is unknown. */
export type FilterCheck = (args: Arguments) => Verdict | null;

/**
 * Whether the rows of a page show that a filter was ignored: one, or all of them together, let none of the rows through. One row that fits
 * is enough, since the API may read a filter in its own way. A row that lacks the member decides nothing.
 */
export function areIgnored(checks: readonly FilterCheck[], args: Arguments, rows: readonly unknown[]): boolean {
  const given = checks.flatMap((check) => check(args) ?? []);
  return [...given, allOf(given)].some((verdict) => isContradicted(rows.map(verdict)));
}

function allOf(given: readonly Verdict[]): Verdict {
  return (row) => {
    const verdicts = new Set(given.map((verdict) => verdict(row)));
    if (verdicts.has(false)) return false;
    return verdicts.has(true) ? true : null;
  };
}

function isContradicted(verdicts: readonly (boolean | null)[]): boolean {
  return verdicts.includes(false) && !verdicts.includes(true);
}

type Path = readonly string[];

/** The check of a text that must equal the given one. Case does not count, since an API may ignore it. */
export function equalTo(argument: Path, member: Path): FilterCheck {
  return (args) => {
    const wanted = textOf(valueAt(args, argument));
    return wanted === null || wanted === '' ? null : textVerdict(member, (text) => text === wanted);
  };
}

/** The check of a text that must be one of the given ones, with dots or underscores between its words. */
export function anyOf(argument: Path, member: Path): FilterCheck {
  return (args) => {
    const given = valueAt(args, argument);
    if (!Array.isArray(given)) return null;
    // The API takes a list with commas, and may know patterns that the contract does not show.
    const wanted = new Set(given.flatMap((each) => String(each).split(',')).map(spellingOf));
    if (![...wanted].every((each) => /^\w+$/.test(each))) return null;
    return textVerdict(member, (text) => wanted.has(spellingOf(text)));
  };
}

/** The check of a moment that must lie within the given bounds. */
export function within(argument: Path, member: Path): FilterCheck {
  return (args) => {
    const [from, to] = ['gte', 'lte'].map((bound) => instantOf(valueAt(args, [...argument, bound])));
    if (from == null && to == null) return null;
    return (row) => {
      const instant = instantOf(valueAt(row, member));
      if (instant === null) return null;
      return instant > (from ?? -Infinity) - doubtMs && instant < (to ?? Infinity) + doubtMs;
    };
  };
}

function textVerdict(member: Path, isWanted: (text: string) => boolean): Verdict {
  return (row) => {
    const text = textOf(valueAt(row, member));
    return text === null ? null : isWanted(text);
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.trim().toLowerCase() : null;
}

function spellingOf(type: string): string {
  return type.trim().toLowerCase().replaceAll('.', '_');
}

const timestamp = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2}))?(?:[.,]\d+)?(Z|[+-]\d{2}(?::?\d{2})?)$/i;
// A bound may be rounded, and a minute may have a leap second.
const doubtMs = 2_000;

/** Milliseconds of a moment, to the second; null for one without a zone, which may be anywhere within a day. */
function instantOf(value: unknown): number | null {
  const parts = typeof value === 'string' ? timestamp.exec(value) : null;
  if (parts === null) return null;
  const [, day, minute, second = '00', zone = 'Z'] = parts;
  const offset = zone.length === 1 ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const instant = Date.parse(`${day}T${minute}:${second === '60' ? '59' : second}${offset}`);
  return Number.isNaN(instant) ? null : instant;
}
