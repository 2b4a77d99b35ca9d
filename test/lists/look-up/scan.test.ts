import { describe, brief, expect, test } from '../../support/gateway.ts';
import { serve } from '../../paging/contradiction/manner.ts';
import { failure, MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { kinds, lookUpAll, nodeIdOf, pagesOf, scriptWith } from './kind.ts';

describe.each(kinds)('$field', ({ field, list: listField, type, path, limit }) => {
  test('finds many identifiers with one scan that stops as soon as all are found', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 8 * limit);
    upstream.script(list.answer);
    const wanted = [0, 5, limit - 1, limit, 3 * limit - 1, 0].map((index) => list.ids[index] ?? '');
    const data = await gateway.data(lookUpAll(field, wanted));
    expect(wanted.map((_id, index) => data[`a${index}`].id)).toEqual(wanted);
    expect(pagesOf(upstream.requests)).toEqual([`1 of ${limit}`, `2 of ${limit}`, `3 of ${limit}`]);
    expect(upstream.requests.every((request) => request.path === path)).toBe(true);
  });

  test('is null for a row that the list does not hold, beside rows that it does', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, limit + 1);
    upstream.script(list.answer);
    const data = await gateway.data(lookUpAll(field, ['nobody', 'row-1', '', '../row-1', '\u0000']));
    expect(data).toMatchObject({ a0: null, a1: { id: 'row-1' }, a2: null, a3: null, a4: null });
    expect(upstream.requests).toHaveLength(2);
  });

  test('is refused for rows beyond the configured pages, and not within', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    const list = new MovingUpstream(path, 3 * limit + 1);
    upstream.script(list.answer);
    const { data, errors } = await gateway.query(lookUpAll(field, [`row-${2 * limit - 1}`, `row-${2 * limit}`]));
    expect(data).toMatchObject({ a0: { id: `row-${2 * limit - 1}` }, a1: null });
    const words = `2 calls at most, enough for the first ${2 * limit} rows of GET ${path}; it holds ${3 * limit + 1} or more.`;
    const extensions = { code: 'QUERY_TOO_COMPLEX', retryable: false, limit: 2 * limit, actual: 3 * limit + 1 };
    expect(errors).toMatchObject([{ message: expect.stringContaining(words), path: ['a1'], extensions }]);
    expect(upstream.requests).toHaveLength(2);
  });

  test('is refused by what was read where the list tells no length', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    const list = new MovingUpstream(path, 3 * limit);
    upstream.script(serve(list, { metaOf: () => ({}) }));
    const { errors } = await gateway.query(lookUpAll(field, [`row-${2 * limit}`]));
    const message = expect.stringContaining(
      `the first ${2 * limit} rows of GET ${path}; it holds ${2 * limit + 1} or more.`,
    );
    const extensions = { code: 'QUERY_TOO_COMPLEX', limit: 2 * limit, actual: 2 * limit + 1 };
    expect(errors).toMatchObject([{ message, extensions }]);
  });

  test('fails for rows not found when a page fails, and finds the others', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 4 * limit);
    scriptWith(upstream, list, ({ query }) => (query['page[number]'] === '2' ? failure : null));
    const { data, errors } = await gateway.query(
      lookUpAll(field, ['row-0', `row-${limit}`, `row-${2 * limit}`, 'nobody']),
    );
    expect(data).toMatchObject({ a0: { id: 'row-0' }, a1: null, a2: { id: `row-${2 * limit}` }, a3: null });
    expect(brief(errors)).toEqual(['a1 UPSTREAM_ERROR', 'a3 UPSTREAM_ERROR']);
  });

  test('costs no call for rows that a list of the operation reads', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 3 * limit);
    upstream.script(list.answer);
    const one = `one: ${field}(id: "row-3") { id nodeId }`;
    const rows = `${listField}(first: 5) { nodes { nodeId } }`;
    for (const document of [`{ ${one} ${rows} }`, `{ ${rows} ${one} }`]) {
      upstream.requests.length = 0;
      const data = await gateway.data(document);
      expect(data.one).toEqual({ id: 'row-3', nodeId: data[listField].nodes[3].nodeId });
      expect(pagesOf(upstream.requests)).toEqual(['1 of 5']);
    }
  });

  test('does not miss a row that moves to a page already read', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 2 * limit + 1);
    let calls = 0;
    upstream.script((request) => {
      const reply = list.answer(request);
      // The row behind the first page moves onto it while the others are asked for, twice over.
      if (++calls === 1 || calls === 4) list.delete(0, 1);
      return reply;
    });
    const data = await gateway.data(lookUpAll(field, [`row-${limit}`]));
    expect(data.a0.id).toBe(`row-${limit}`);
  });

  test('finds a row behind pages of one row while the list grows', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 12);
    let calls = 0;
    const answer = serve(list, { sizeOf: () => 1, metaOf: ({ total_results }) => ({ total_pages: total_results }) });
    upstream.script((request) => {
      if (++calls === 2) list.insert(0, 1);
      return answer(request);
    });
    const data = await gateway.data(lookUpAll(field, ['row-9']));
    expect(data.a0).toMatchObject({ id: 'row-9' });
  });

  test('fails with UPSTREAM_ERROR where the list never stops losing rows', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 3 * limit);
    const underWay: number[] = [];
    let open = 0;
    upstream.script(async (request) => {
      if (request.query['page[number]'] === '2') list.delete(0, 1);
      underWay.push(++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return list.answer(request);
    });
    const { data, errors } = await gateway.query(lookUpAll(field, ['nobody']));
    expect(data).toEqual({ a0: null });
    expect(errors).toMatchObject([{ path: ['a0'], extensions: { code: 'UPSTREAM_ERROR', retryable: true } }]);
    // The pages of the last scan come one after another.
    expect([underWay.length, underWay.slice(-3)]).toEqual([9, [1, 1, 1]]);
  });

  test('reads a list that grows meanwhile twice', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 3 * limit - 5);
    upstream.script((request) => {
      if (request.query['page[number]'] === '2') list.insert(0, 1);
      return list.answer(request);
    });
    const data = await gateway.data(lookUpAll(field, ['nobody']));
    expect(data).toEqual({ a0: null });
    expect(upstream.requests.map(({ query }) => query['page[number]'])).toEqual(['1', '2', '3', '1', '2', '3']);
  });

  test('says that a list that only grows is too long to be looked through twice', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 40 * limit);
    upstream.script((request) => {
      if (request.query['page[number]'] === '2') list.insert(0, 1);
      return list.answer(request);
    });
    const { errors } = await gateway.query(lookUpAll(field, ['nobody']));
    expect(brief(errors)).toEqual(['a0 QUERY_TOO_COMPLEX']);
    expect(upstream.requests).toHaveLength(60);
  });

  test('is unauthenticated without a key, and makes no call', async ({ gateway, upstream }) => {
    const nodeIds = [nodeIdOf(type, 'row-1', null), nodeIdOf(type, 'row-2', timestampAt(0))];
    const { data, errors } = await gateway.query(
      `query ($nodeIds: [ID!]!) { ${field}(id: "row-1") { id } nodes(nodeIds: $nodeIds) { nodeId } }`,
      { key: null, variables: { nodeIds } },
    );
    expect(data).toEqual({ [field]: null, nodes: [null, null] });
    const places = [field, 'nodes.0', 'nodes.1'];
    expect(new Set(brief(errors))).toEqual(new Set(places.map((place) => `${place} UNAUTHENTICATED`)));
    expect(upstream.requests).toEqual([]);
  });
});
