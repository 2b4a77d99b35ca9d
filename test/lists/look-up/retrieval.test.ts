import { describe } from 'vitest';
import { expect, test } from '../../support/gateway.ts';
import { failure } from '../../support/moving-upstream.ts';
import { kinds, lookUpAll } from './kind.ts';

/** How the API calls an identifier in its paths. */
const pathNames: Readonly<Record<string, string>> = {
  '/ai/missions': 'mission_id',
  '/ip_connections': 'ip_connection_id',
  '/webhook_deliveries': 'webhook_delivery_id',
};
const retrieving = { UPSTREAM_LOOKUP: 'retrieve' };

describe.each(kinds)('$field, where the upstream offers single rows,', ({ field, path }) => {
  test('is asked for once by its percent-encoded identifier', async ({ startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    const idName = path === '/ai/missions' ? 'mission_id' : 'id';
    upstream.script(({ path: asked }) => ({
      json: { data: { [idName]: decodeURIComponent(asked.slice(path.length + 1)) } },
    }));
    const ids = ['row-1', 'a/b', 'a b?c=d#e', '%2e%2e', '..%2F', 'é', 'row-1', '...', '{id}', '$&'];
    const { data, errors } = await gateway.query(lookUpAll(field, ids));
    expect(errors).toEqual([]);
    expect(ids.map((_id, index) => data[`a${index}`].id)).toEqual(ids);
    expect(upstream.requests.map((request) => request.path + request.rawQuery).toSorted()).toEqual(
      [...new Set(ids)].map((id) => `${path}/${encodeURIComponent(id)}`).toSorted(),
    );
  });

  test('is null without a call for an identifier that no path can hold', async ({ startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    for (const id of ['', '.', '..', 'row-\uD800']) {
      const { data, errors } = await gateway.query(`query ($id: ID!) { ${field}(id: $id) { id } }`, {
        variables: { id },
      });
      expect({ data, errors }).toEqual({ data: { [field]: null }, errors: [] });
    }
    expect(upstream.requests).toEqual([]);
  });

  test('is null after a 404 or a refused identifier, else an error', async ({ startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    const missing = { title: 'Resource not found', detail: 'none' };
    const replies: readonly object[] = [
      { status: 404, json: { errors: [{ code: '10005', ...missing }] } },
      { status: 404, json: { errors: [{ code: '10005', ...missing }, missing] } },
      { status: 404, text: '<html>not here</html>' },
      { status: 404, text: '' },
      failure,
      { status: 403, json: { errors: [{ code: '10010', title: 'Not authorized' }] } },
      { json: { data: [] } },
      {
        status: 400,
        json: { errors: [{ code: '10015', title: 'Bad Request', source: { parameter: pathNames[path] } }] },
      },
    ];
    upstream.script(({ path: asked }) => replies[Number(asked.split('/').at(-1))] ?? failure);
    const { data, errors } = await gateway.query(lookUpAll(field, [...replies.keys()].map(String)));
    expect(Object.values(data)).toEqual(replies.map(() => null));
    expect(errors.map((error) => [error.path, error.extensions.code])).toEqual([
      [['a4'], 'UPSTREAM_ERROR'],
      [['a5'], 'FORBIDDEN'],
      [['a6'], 'UPSTREAM_BAD_RESPONSE'],
    ]);
    expect(errors[0].extensions.upstream.operation).toBe(`GET ${path}/{id}`);
  });
});

describe('mission, where the upstream refuses to retrieve a row,', () => {
  const bad = { code: '10015', title: 'Bad Request', detail: 'The identifier is not well-formed.' };
  const unable = { code: '10027', title: 'Unprocessable Entity' };
  const invalid = (...loc: readonly unknown[]): object => ({
    detail: [{ loc, msg: 'no UUID', type: 'uuid_parsing' }],
  });
  const pathName = 'mission_id';

  test.for<[what: string, status: number, json: unknown]>([
    ['by the name of its parameter', 400, { errors: [{ ...bad, source: { parameter: pathName } }] }],
    ['by a pointer into the path', 400, { errors: [{ ...bad, source: { pointer: `#/path/${pathName}` } }] }],
    ['with a code that nobody knows', 422, { errors: [{ code: '10099', title: 'x', source: { parameter: 'id' } }] }],
    ['in the validation dialect', 422, invalid('path', pathName)],
    [
      'twice',
      400,
      {
        errors: [
          { ...bad, source: { parameter: 'id' } },
          { ...bad, source: { pointer: '/id' } },
        ],
      },
    ],
    ['as not there, in the words of a bad request', 404, { errors: [bad] }],
  ])('is null if it refuses the identifier %s', async ([, status, json], { startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    upstream.script(() => ({ status, json }));
    const { data, errors } = await gateway.query(lookUpAll('mission', ['not-a-uuid']));
    expect({ data, errors }).toEqual({ data: { a0: null }, errors: [] });
    expect(upstream.requests).toHaveLength(1);
  });

  test.for<[what: string, status: number, json: unknown, code: string]>([
    ['points nowhere', 400, { errors: [bad] }, 'BAD_USER_INPUT'],
    [
      'points into the identifier',
      422,
      { errors: [{ ...unable, source: { pointer: '/id/user' } }] },
      'UNPROCESSABLE_ENTITY',
    ],
    [
      'points at the identifier with another status',
      500,
      { errors: [{ ...bad, source: { parameter: 'id' } }] },
      'BAD_USER_INPUT',
    ],
    ['points at a header', 422, invalid('header', 'x-version'), 'BAD_USER_INPUT'],
    [
      'points at the identifier but is about the key',
      401,
      { errors: [{ code: '10009', title: 'x', source: { parameter: 'id' } }] },
      'UNAUTHENTICATED',
    ],
    ['says 404 for a failure of its own', 404, { errors: [{ code: '10007', title: 'x' }] }, 'UPSTREAM_ERROR'],
  ])('is an error if the response %s', async ([, status, json, code], { startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    upstream.script(() => ({ status, json }));
    const { data, errors } = await gateway.query(lookUpAll('mission', ['row-1']));
    expect(data).toEqual({ a0: null });
    expect(errors).toMatchObject([{ path: ['a0'], extensions: { code } }]);
  });

  test('is an error if one of several refusals is not about the identifier', async ({ startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    upstream.script(() => ({ status: 400, json: { errors: [{ ...bad, source: { parameter: 'id' } }, bad] } }));
    const { errors } = await gateway.query(lookUpAll('mission', ['row-1']));
    expect(errors).toHaveLength(2);
  });
});
