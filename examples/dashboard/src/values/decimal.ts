/** A decimal number as text, as the schema's `Decimal`: money is never read into a double to be calculated with. */
export type Decimal = string;

interface Units {
  readonly units: bigint;
  readonly digits: number;
}

/** What the scalar lets through, but for exponents beyond any money. */
const form = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;

function unitsOf(decimal: Decimal): Units {
  const [, sign, whole = '', fraction = '', exponent = '0'] = form.exec(decimal) ?? [];
  if (sign === undefined) throw new RangeError(`This is no amount that can be calculated with: ${decimal}`);
  const digits = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, -digits));
  return { units: sign === '-' ? -units : units, digits: Math.max(0, digits) };
}

function textOf(units: bigint, digits: number): Decimal {
  if (digits === 0) return String(units);
  const sign = units < 0n ? '-' : '';
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0');
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The exact sum. */
export function sum(decimals: readonly Decimal[]): Decimal {
  const all = decimals.map(unitsOf);
  const digits = Math.max(0, ...all.map((each) => each.digits));
  const total = all.reduce((soFar, each) => soFar + each.units * 10n ** BigInt(digits - each.digits), 0n);
  return textOf(total, digits);
}

/** The same amount with the other sign. */
export function negated(decimal: Decimal): Decimal {
  const { units, digits } = unitsOf(decimal);
  return textOf(-units, digits);
}

/** The exact difference `a - b`. */
export function difference(a: Decimal, b: Decimal): Decimal {
  return sum([a, negated(b)]);
}
