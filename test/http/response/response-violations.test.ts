import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { CancelSource } from '../../../src/cancellation.ts';
import { GatewayError, GatewayErrors } from '../../../src/errors.ts';
import { createResponseViolations } from '../../../src/http/response/response-violations.ts';
import { createExchange } from '../../../src/http/request/exchange.ts';

const begin = () =>
  createExchange({ requestId: 'id', signal: new CancelSource(), whenEnded: () => {}, hideKey: (text) => text });
const bad = (holder: object, key: string) =>
  new GatewayError('UPSTREAM_BAD_RESPONSE', {
    violation: { coordinate: `Query.${key}`, kind: 'wrong_type', place: { holder, key } },
  });
const located = (originalError: Error) => new GraphQLError('', { originalError });

test('counts a value once in an answer and its pieces, and again in the next answer', () => {
  const counted: string[] = [];
  const violations = createResponseViolations(({ coordinate }) => counted.push(coordinate));
  const [exchange, other] = [begin(), begin()];
  const record = {};
  const shared = bad({}, 'b');
  violations.count([located(bad(record, 'a')), located(bad(record, 'a')), located(new Error('none'))], exchange);
  violations.count([located(bad(record, 'a')), located(shared)], exchange);
  expect(counted.splice(0)).toEqual(['Query.a', 'Query.b']);
  violations.count([located(shared)], other);
  expect(counted.splice(0)).toEqual(['Query.b']);
  violations.end(exchange);
  violations.count([located(bad(record, 'a')), located(new GatewayErrors([shared, bad({}, 'c'), shared]))], exchange);
  expect(counted).toEqual(['Query.a', 'Query.b', 'Query.c']);
});
