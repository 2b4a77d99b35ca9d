import { describe, brief, expect, test } from '../../support/gateway.ts';
import { failure } from '../../support/moving-upstream.ts';
import { kinds, lookUpAll } from './kind.ts';

/** How the API calls an identifier in its paths. */
const pathNames: Readonly<Record<string, string>> = {
  '/ai/missions': 'mission_id',
  '/ip_connections': 'ip_connection_id',
  '/webhook_deliveries': 'webhook_delivery_id',
};
const refusalOf = (source: object) => ({ status: 400, json: { errors: [{ code: '10015', title: 'Bad', source }] } });
const retrieving = { UPSTREAM_LOOKUP: 'retrieve' };

describe.each(kinds)('$field, where the upstream offers single rows,', ({ field, path }) => {
  test('is asked for once by its percent-encoded identifier', async ({ startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    const idName = path === '/ai/missions' ? 'mission_id' : 'id';
    upstream.script(({ path: asked }) => ({
      json: { data: { [idName]: decodeURIComponent(asked.slice(path.length + 1)) } },
    }));
    const ids = 'row-1|a/b|a b?c=d#e|%2e%2e|..%2F|é|row-1|...|{id}|$&|+|@|[|:|!'.split('|');
    const data = await gateway.data(lookUpAll(field, ids));
    expect(ids.map((_id, index) => data[`a${index}`].id)).toEqual(ids);
    expect(upstream.requests.map((request) => request.path + request.rawQuery).toSorted()).toEqual(
      [...new Set(ids)].map((id) => `${path}/${encodeURIComponent(id)}`).toSorted(),
    );
  });

  test('is null without a call for an identifier that no path can hold', async ({ startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    for (const id of ['', '.', '..', 'row-\uD800']) {
      const document = `query ($id: ID!) { ${field}(id: $id) { id } }`;
      expect(await gateway.data(document, { variables: { id } })).toEqual({ [field]: null });
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
      { json: { data: { id: 'another', mission_id: 'another' } } },
      refusalOf({ parameter: pathNames[path] }),
    ];
    upstream.script(({ path: asked }) => replies[Number(asked.split('/').at(-1))] ?? failure);
    const { data, errors } = await gateway.query(lookUpAll(field, [...replies.keys()].map(String)));
    expect(Object.values(data)).toEqual(replies.map(() => null));
    const wrong = ['a6 UPSTREAM_BAD_RESPONSE', 'a7 UPSTREAM_BAD_RESPONSE'];
    expect(brief(errors)).toEqual(['a4 UPSTREAM_ERROR', 'a5 FORBIDDEN', ...wrong]);
    expect(errors[0].extensions.upstream.operation).toBe(`GET ${path}/{id}`);
  });
});

describe('mission, where the upstream refuses to retrieve a row,', () => {
  const bad = { code: '10015', title: 'Bad Request', detail: 'The identifier is not well-formed.' };
  const unable = { code: '10027', title: 'Unprocessable Entity' };
  const invalid = (...loc: readonly unknown[]): object => ({ detail: [{ loc, msg: 'no UUID', type: 'uuid_parsing' }] });
  const pathName = 'mission_id';

  const errorsOf = (...errors: readonly object[]) => ({ errors });
  const atId = { parameter: 'id' };
  const unknown = { code: '10099', title: 'x', source: atId };

  test.for<[what: string, status: number, json: unknown, codes: readonly string[]]>([
    ['refuses it by the name of its parameter', 400, errorsOf({ ...bad, source: { parameter: pathName } }), []],
    ['refuses it by a pointer into the path', 400, errorsOf({ ...bad, source: { pointer: `#/path/${pathName}` } }), []],
    ['refuses it with a code that nobody knows', 422, errorsOf(unknown), []],
    ['refuses it in the validation dialect', 422, invalid('path', pathName), []],
    ['refuses it twice', 400, errorsOf({ ...bad, source: atId }, { ...bad, source: { pointer: '/id' } }), []],
    ['says that it is not there, in the words of a bad request', 404, errorsOf(bad), []],
    ['points nowhere', 400, errorsOf(bad), ['BAD_USER_INPUT']],
    ['points into it', 422, errorsOf({ ...unable, source: { pointer: '/id/user' } }), ['UNPROCESSABLE_ENTITY']],
    ['points at it with another status', 500, errorsOf({ ...bad, source: atId }), ['BAD_USER_INPUT id']],
    ['points at a header', 422, invalid('header', 'x-version'), ['BAD_USER_INPUT']],
    ['is about the key', 401, errorsOf({ code: '10009', title: 'x', source: atId }), ['UNAUTHENTICATED id']],
    ['says 404 for a failure of its own', 404, errorsOf({ code: '10007', title: 'x' }), ['UPSTREAM_ERROR']],
    ['refuses more than it', 400, errorsOf({ ...bad, source: atId }, bad), ['BAD_USER_INPUT id', 'BAD_USER_INPUT']],
  ])('is null only if the identifier is refused: it %s', async ([, status, json, codes], { startWith, upstream }) => {
    const gateway = await startWith(retrieving);
    upstream.script(() => ({ status, json }));
    const { data, errors } = await gateway.query(lookUpAll('mission', ['not-a-uuid']));
    expect(data).toEqual({ a0: null });
    expect(brief(errors)).toEqual(codes.map((code) => `a0 ${code}`));
    expect(upstream.requests).toHaveLength(1);
  });
});
