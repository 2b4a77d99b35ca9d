import { bytesPerObject, reportPart } from '../bounds.ts';

/**
 * The weight of a report in the cost of an operation, in objects: that of the largest report that is read, but at most the
 * `reportPart` of the limit.
 */
export function reportCost(limits: { readonly upstreamMaxBodyBytes: number; readonly limitCost: number }): number {
  return Math.min(Math.ceil(limits.upstreamMaxBodyBytes / bytesPerObject), Math.floor(limits.limitCost / reportPart));
}
