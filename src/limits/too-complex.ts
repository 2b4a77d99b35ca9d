import { GatewayError } from '../errors.ts';

/** QUERY_TOO_COMPLEX, naming the limit, what it counts, how much of that is allowed and how much was asked for. */
export function tooComplex(name: string, counted: string, limit: number, actual: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The query is beyond the limit for ${name}: ${actual} ${counted}, where ${limit} are allowed. Ask for less at a time.`,
    excess: { limit, actual },
  });
}
