import type { WireResponse } from './wire-response.ts';

const seconds = /^\d{1,9}$/;
// Only what begins like a date: Date.parse would make one of "-5" and of "in 5 minutes" too.
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .+$/;

/** Seconds to wait (RFC 9110, section 10.2.3), also from a date; undefined where nothing usable was told. */
export function retryAfterOf({ headers }: Pick<WireResponse, 'headers'>): number | undefined {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const value = header.trim();
  if (seconds.test(value)) return Number(value);
  if (!httpDate.test(value)) return undefined;
  // The oldest of the three formats, asctime's, names no zone, and is in GMT all the same.
  const milliseconds = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}
