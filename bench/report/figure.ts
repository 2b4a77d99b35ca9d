import type { Spread } from '../measure/figures.ts';

/** A figure without decimals. */
export const whole = (figure: number): string => Math.round(figure).toLocaleString('en');

/** A figure with about three digits. */
export function short(figure: number): string {
  if (figure < 10) return figure.toFixed(2);
  return figure < 100 ? figure.toFixed(1) : whole(figure);
}

/** A median with its spread, each formatted by `write`. */
export function withSpread({ median, min, max }: Spread, write: (figure: number) => string = whole): string {
  return `${write(median)} (${write(min)}–${write(max)})`;
}
