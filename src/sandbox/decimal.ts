/** An amount of money in 1/10000 of the currency: an integer, so that sums are exact. */
export type Units = number;

/** The decimal string of an amount, with at least `digits` decimals and as many more as it needs: 125000 is "12.50". */
export function decimal(units: Units, digits = 2): string {
  const text = String(Math.abs(units)).padStart(5, '0');
  const fraction = text.slice(-4);
  const needed = fraction.replace(/0+$/, '').length;
  return `${units < 0 ? '-' : ''}${text.slice(0, -4)}.${fraction.slice(0, Math.max(digits, needed))}`;
}

/** The exact sum of amounts. */
export function sum(amounts: readonly Units[]): Units {
  return amounts.reduce((total, amount) => total + amount, 0);
}
