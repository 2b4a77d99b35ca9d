import { errorsPerResponse } from '../../../src/bounds.ts';
import { expect, testOfFile as test } from '../../support/gateway.ts';
import { heavy, hostile } from '../hostile.ts';

// By night growth.test.ts shows that a mebibyte, the most that a body may have, takes time in proportion.
const largestBody = 131_072;

/** A document of which a request is as large as that. */
function largest(make: (length: number) => string): string {
  const aim = largestBody - 1_000;
  const { length } = JSON.stringify(make(aim));
  return make(length <= aim ? aim : Math.floor((aim * aim) / length));
}

const codes = ['QUERY_TOO_COMPLEX', 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE'];

test.for(Object.entries(heavy))('has at most 100 errors for %s', async ([, make], { gateway, upstream }) => {
  for (const length of [1_000, 200_000]) {
    const { errors, text } = await gateway.query(make(length), { key: null });
    expect(errors.length).toBeLessThanOrEqual(errorsPerResponse);
    expect(text.length).toBeLessThan(100_000);
  }
  expect(upstream.requests).toEqual([]);
  expect(gateway.log.join('')).not.toContain('internal error');
});

test.for(Object.entries(hostile))('refuses %s, of 7 kB and of 128 KiB', async ([, make], { gateway, upstream }) => {
  const headers = { accept: 'application/graphql-response+json' };
  for (const document of [make(7_000), largest(make)]) {
    const { status, errors, data, text } = await gateway.query(document, { headers });
    expect([status, data]).toEqual([400, undefined]);
    expect(errors.length).toBeGreaterThan(0);
    for (const { extensions } of errors) expect(codes).toContain(extensions.code);
    expect(text.length).toBeLessThan(100_000);
  }
  expect(upstream.requests).toEqual([]);
  expect(gateway.log.join('')).not.toContain('internal error');
});
