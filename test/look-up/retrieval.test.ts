import { describe } from 'vitest';
import { expect, test } from '../support/gateway.ts';
import { failure, MovingUpstream } from '../support/moving-upstream.ts';
import { kinds, lookUpAll, pagesOf } from './kind.ts';

describe.each(kinds)('$field', ({ field, list: listField, path }) => {
  describe('where the upstream offers single rows', () => {
    const retrieving = { UPSTREAM_LOOKUP: 'retrieve' };

    test('is asked for by its percent-encoded identifier, once each', async ({ startWith, upstream }) => {
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

    test('is null without a call for what no path can hold', async ({ startWith, upstream }) => {
      const gateway = await startWith(retrieving);
      const { data, errors } = await gateway.query(lookUpAll(field, ['', '.', '..']));
      expect({ data, errors }).toEqual({ data: { a0: null, a1: null, a2: null }, errors: [] });
      expect(upstream.requests).toEqual([]);
    });

    test('is null where the answer is 404, in whatever words, and an error where it is another', async ({
      startWith,
      upstream,
    }) => {
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

    test('costs nothing for rows that a list of the same operation has read', async ({ startWith, upstream }) => {
      const gateway = await startWith(retrieving);
      upstream.script(new MovingUpstream(path, 9).answer);
      const { data, errors } = await gateway.query(
        `{ one: ${field}(id: "row-3") { id } ${listField}(first: 5) { nodes { id } } }`,
      );
      expect(errors).toEqual([]);
      expect(data.one).toEqual({ id: 'row-3' });
      expect(pagesOf(upstream.requests)).toEqual(['1 of 5']);
    });

    test('is unauthenticated without a key, and calls nothing', async ({ startWith, upstream }) => {
      const gateway = await startWith(retrieving);
      const { errors } = await gateway.query(lookUpAll(field, ['row-1']), { key: null });
      expect(errors).toMatchObject([{ path: ['a0'], extensions: { code: 'UNAUTHENTICATED' } }]);
      expect(upstream.requests).toEqual([]);
    });
  });
});
