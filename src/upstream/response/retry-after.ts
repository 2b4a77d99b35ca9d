import type { WireResponse } from './wire-response.ts';

const seconds = /^\d{1,9}$/;
// Date.parse would also make dates of "-5" and "in 5 minutes".
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .+$/;

/** The seconds to wait by a Retry-After header (RFC 9110, section 10.2.3), a number or a date; undefined without a usable one. */
export function retryAfterOf({ headers }: Pick<WireResponse, 'headers'>): number | undefined {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const value = header.trim();
  if (seconds.test(value)) return Number(value);
  if (!httpDate.test(value)) return undefined;
  // The oldest of the three formats, asctime's, is in GMT and does not say so.
  const milliseconds = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}
