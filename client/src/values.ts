/** Digit for digit what the API sent: do not calculate with it as a double. */
export type Decimal = `${number}`;

/** The types of the schema's scalars in TypeScript, as generators of code take them. */
export const scalars = {
  Date: 'string',
  DateTime: 'string',
  Decimal: '`${number}`',
  JSONObject: 'Record<string, unknown>',
} as const;

/** How a decimal is shown. */
export interface DecimalFormat {
  /** A language, such as `de-CH`. Default: the browser's. */
  readonly locale?: string;
  /** Of ISO 4217, such as `USD`; another text stands behind the number. Null: none. */
  readonly currency?: string | null;
}

/**
 * Shows a decimal as people of a language write it, with all its digits, at least as many as the currency has. One that cannot be shown
 * so, as by an engine before Chrome 106, Firefox 116 or Safari 15.4, comes as it is.
 */
export function formatDecimal(value: Decimal, { locale, currency }: DecimalFormat = {}): string {
  const name = currency ?? '';
  const style = /^[a-z]{3}$/i.test(name) ? { style: 'currency' as const, currency: name } : null;
  const withName = (text: string): string => `${text} ${name}`.trim();
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(value) ?? [];
  const { minimumFractionDigits: usual = 0 } = new Intl.NumberFormat(locale, style ?? {}).resolvedOptions();
  const digits = Math.max(usual, fraction.length - Number(exponent));
  if (digits > 100 || !Number.isFinite(Number(value)) || !isExact()) return withName(value);
  const options = { ...style, minimumFractionDigits: digits, maximumFractionDigits: digits };
  const shown = new Intl.NumberFormat(locale, options).format(value);
  return style === null ? withName(shown) : shown;
}

/** Whether the engine formats texts digit for digit, and not by way of a double. */
function isExact(): boolean {
  return new Intl.NumberFormat('en', { useGrouping: false }).format('9007199254740993') === '9007199254740993';
}

/** What Safari 18.4, Chrome 114, Firefox 135 and Node 21 hand to a reviver. */
type ReviverWithSource = (name: string, value: unknown, context: { readonly source: string }) => unknown;

/**
 * Parses JSON as `JSON.parse` does, but for integers beyond 2^53, which that rounds: they become a `bigint`, or with `text` their digits.
 * Throws a TypeError in an engine that cannot tell them, rather than round in silence.
 */
export function parseExactly(json: string, large: 'bigint' | 'text' = 'bigint'): unknown {
  const revive: ReviverWithSource = (_name, value, { source }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
    return large === 'bigint' ? BigInt(source) : source;
  };
  return JSON.parse(json, revive as (name: string, value: unknown) => unknown);
}
