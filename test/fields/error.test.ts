import { describe, brief, expect, test } from '../support/gateway.ts';
import type { Reply } from '../support/scripted-upstream.ts';

const summary = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';

function envelope(status: number, ...errors: readonly unknown[]): Reply {
  return { status, json: { errors } };
}

const full = {
  title: 'Bad Request',
  detail: 'The date range cannot exceed 31 days.',
  source: { parameter: 'end_date', pointer: '/end_date' },
  meta: { url: 'https://developers.example.com/errors/10015', trace: 'not shown' },
  extra: 'not shown',
};

test('an upstream error is reported whole, at its path, with the request id', async ({ gateway, upstream }) => {
  upstream.script(() => envelope(400, { code: '10015', ...full }));
  const { data, errors, headers } = await gateway.query(summary, { headers: { 'x-request-id': 'trace-1' } });
  expect(data).toEqual({ chargesSummary: null });
  expect(errors).toEqual([
    {
      message: full.detail,
      path: ['chargesSummary'],
      locations: [{ line: 1, column: 3 }],
      extensions: {
        code: 'BAD_USER_INPUT',
        retryable: false,
        argument: ['endDate'],
        upstream: {
          operation: 'GET /charges_summary',
          status: 400,
          code: '10015',
          title: full.title,
          detail: full.detail,
          source: full.source,
          meta: { url: full.meta.url },
        },
        requestId: 'trace-1',
      },
    },
  ]);
  expect(headers.get('x-request-id')).toBe('trace-1');
  expect(upstream.requests.map((request) => request.headers['x-request-id'])).toEqual(['trace-1']);
});

describe('the code of an error', () => {
  // [upstream status, upstream code, extensions.code, retryable]
  const rows: readonly [number, string | number | undefined, string, boolean][] = [
    [400, '10015', 'BAD_USER_INPUT', false],
    [401, '10009', 'UNAUTHENTICATED', false],
    [403, '10010', 'FORBIDDEN', false],
    [404, '10005', 'NOT_FOUND', false],
    [422, '10027', 'UNPROCESSABLE_ENTITY', false],
    [429, '10011', 'RATE_LIMITED', true],
    [500, '10007', 'UPSTREAM_ERROR', true],
    [400, '10007', 'UPSTREAM_ERROR', false],
    [409, undefined, 'UPSTREAM_ERROR', false],
    [500, undefined, 'UPSTREAM_ERROR', true],
    [599, undefined, 'UPSTREAM_ERROR', true],
    // A code that is known decides against the status.
    [500, '10015', 'BAD_USER_INPUT', false],
    [404, '10027', 'UNPROCESSABLE_ENTITY', false],
    [200, '10015', 'BAD_USER_INPUT', false],
    // One that is not leaves it to the status, whatever it is called.
    [400, '99999', 'BAD_USER_INPUT', false],
    [404, '__proto__', 'NOT_FOUND', false],
    // A number is read as its digits.
    [400, 10010, 'FORBIDDEN', false],
  ];

  test.for(rows)('of %i with code %s is %s', async ([status, code, expected, retryable], { gateway, upstream }) => {
    upstream.script(() => envelope(status, { code, title: 'A title' }));
    const { data, errors } = await gateway.query(summary);
    expect(data).toEqual({ chargesSummary: null });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ message: 'A title', path: ['chargesSummary'] });
    const { requestId, ...extensions } = errors[0].extensions;
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    expect(extensions).toEqual({
      code: expected,
      retryable,
      upstream: {
        operation: 'GET /charges_summary',
        status,
        ...(code !== undefined && { code: String(code) }),
        title: 'A title',
      },
    });
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('the message of an error', () => {
  const rows: readonly [object, string | RegExp][] = [
    [{ title: 'Title', detail: 'Detail' }, 'Detail'],
    [{ title: 'Title' }, 'Title'],
    [{ title: 'Title', detail: { text: 'hidden' } }, 'Title'],
    [{}, /argument/],
    [{ detail: 'x'.repeat(5000) }, /^x{1000}$/],
  ];

  test.for(rows)('of %j is built from its fields', async ([error, expected], { gateway, upstream }) => {
    upstream.script(() => envelope(400, error));
    const { errors } = await gateway.query(summary);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(expected)]);
  });
});

describe('a validation failure', () => {
  const list = '{ missions(first: 3) { nodes { id } } }';

  test('becomes one error per entry', async ({ gateway, upstream }) => {
    const detail = [
      { loc: ['query', 'page[size]'], msg: 'too large', type: 'value_error' },
      { loc: ['query', 'ids', 0], msg: 'no integer', type: 'type_error' },
      { loc: 'nothing', msg: 'odd', type: 7 },
    ];
    upstream.script(() => ({ status: 422, json: { detail } }));
    const { data, errors } = await gateway.query(list);
    expect(data).toEqual({ missions: null });
    const fault = { operation: 'GET /ai/missions', status: 422 };
    expect(
      errors.map(({ message, extensions: { code, argument, upstream: told } }) => [message, code, argument, told]),
    ).toEqual([
      ['too large', 'BAD_USER_INPUT', ['first'], { ...fault, title: 'value_error', detail: 'too large' }],
      ['no integer', 'BAD_USER_INPUT', undefined, { ...fault, title: 'type_error', detail: 'no integer' }],
      ['odd', 'BAD_USER_INPUT', undefined, { ...fault, title: '7', detail: 'odd' }],
    ]);
  });

  test.for([
    [400, 'BAD_USER_INPUT'],
    [422, 'UNPROCESSABLE_ENTITY'],
    [500, 'UPSTREAM_ERROR'],
  ] as const)('of mere text with status %i is %s', async ([status, code], { gateway, upstream }) => {
    upstream.script(() => ({ status, json: { detail: 'Not as it is' } }));
    const { errors } = await gateway.query(list);
    expect(errors).toMatchObject([{ message: 'Not as it is', extensions: { code, upstream: { status } } }]);
  });
});

describe('a status without a readable body', () => {
  const bodies: readonly Reply[] = [
    { text: '<html><h1>502 canary</h1></html>', headers: { 'content-type': 'text/html' } },
    { text: '{"errors":[{"code":"100', headers: { 'content-type': 'application/json' } },
    { json: 'canary' },
    { json: { errors: [] } },
    { json: { detail: { canary: true } } },
    { json: [{ code: '10015', title: 'canary' }] },
  ];
  const statuses = [
    [401, 'UNAUTHENTICATED', false],
    [429, 'RATE_LIMITED', true],
    [502, 'UPSTREAM_ERROR', true],
  ] as const;

  test.for(bodies)('is enough: %j', async (body, { gateway, upstream }) => {
    for (const [status, code, retryable] of statuses) {
      upstream.script(() => ({ ...body, status }));
      const { errors, text } = await gateway.query(summary);
      expect(errors).toMatchObject([{ path: ['chargesSummary'], extensions: { code, retryable } }]);
      expect(errors[0].message).not.toBe('');
      expect(errors[0].extensions.upstream).toEqual({ operation: 'GET /charges_summary', status });
      expect(text).not.toMatch(/canary|<html/);
    }
  });
});

test.for([
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': '1.2' }, 2],
  [{ 'retry-after': 'in 5 minutes' }, undefined],
] as const)('a rate limit with %j has %j seconds', async ([headers, seconds], { gateway, upstream }) => {
  upstream.script(() => ({ ...envelope(429, { title: 'Slow down' }), headers }));
  const { errors } = await gateway.query(summary);
  expect(brief(errors)).toEqual(['chargesSummary RATE_LIMITED']);
  expect(errors[0].extensions.retryAfterSeconds).toBe(seconds);
});
