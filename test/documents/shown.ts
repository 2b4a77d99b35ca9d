/** The mark for text that differs each time, or is too long for a page. */
const anything = '…';

// Differs each time, and is a number.
const measured: ReadonlySet<string> = new Set(['milliseconds', 'startMilliseconds', 'durationMs', 'time']);

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A pattern for a text as a page shows it, wherever it stands. */
export function patternOf(shown: string): RegExp {
  return new RegExp(shown.trim().split(anything).map(escape).join('[^\\n"]*').replaceAll('\n', '\\r?\\n'));
}

/** Null where a value is as a page shows it, else where it first differs. */
export function differenceOf(shown: unknown, actual: unknown, path = '$'): string | null {
  if (typeof shown === 'string' && typeof actual === 'string') {
    const pattern = new RegExp(`^${patternOf(shown).source}$`);
    return pattern.test(actual) ? null : `${path}: ${JSON.stringify(actual)}`;
  }
  if (!isObject(shown) || !isObject(actual)) return shown === actual ? null : `${path}: ${print(actual)}`;
  if (Array.isArray(shown) !== Array.isArray(actual)) return `${path}: ${print(actual)}`;
  for (const name of new Set([...Object.keys(shown), ...Object.keys(actual)])) {
    const isThere = Object.hasOwn(shown, name) && Object.hasOwn(actual, name);
    if (!isThere) return `${path}.${name}: ${print(actual[name])}`;
    if (measured.has(name) && typeof actual[name] === 'number') continue;
    const difference = differenceOf(shown[name], actual[name], `${path}.${name}`);
    if (difference !== null) return difference;
  }
  return null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function print(value: unknown): string {
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'missing');
}
