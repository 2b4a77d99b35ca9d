import { bytesPerObject } from '../bounds.ts';

/**
 * What a report weighs in the cost of an operation, in objects: as much as the largest that is read, but a quarter of the limit at
 * most, so that there is always room for some.
 */
export function reportCost(limits: { readonly upstreamMaxBodyBytes: number; readonly limitCost: number }): number {
  return Math.min(Math.ceil(limits.upstreamMaxBodyBytes / bytesPerObject), Math.floor(limits.limitCost / 4));
}
