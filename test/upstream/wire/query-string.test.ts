import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCall } from '../../../src/upstream/call.ts';
import type { Endpoint } from '../../../src/upstream/endpoint.ts';

const endpoint: Endpoint<unknown> = {
  name: 'GET /things/{id}',
  coordinate: 'Query.things',
  path: '/things/{id}/parts',
  accept: 'application/json',
  parameters: [
    { argument: ['name'], name: 'filter[name]' },
    { argument: ['kinds'], name: 'kinds' },
  ],
  constants: { format: 'a b' },
  read: () => null,
};
const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter((given) => given.isWellFormed()),
  fc.stringMatching(/^[\dA-Za-z@[`{/:_.~!'()*-]{1,20}$/),
);

test('each text of a call is percent-encoded once, as encodeURIComponent does', () => {
  fc.assert(
    fc.property(text, text, fc.array(text, { minLength: 1 }), (id, name, kinds) => {
      const { path, queryString, target } = createCall(endpoint, { id, name, kinds });
      expect(path).toBe(`/things/${encodeURIComponent(id)}/parts`);
      expect(queryString).toBe(
        `format=a%20b&filter[name]=${encodeURIComponent(name)}&kinds=${kinds.map(encodeURIComponent).join(',')}`,
      );
      expect(target).toBe(`${path}?${queryString}`);
    }),
    { numRuns: 1_000 },
  );
});

test('an empty text of a filter asks for nothing, alone or as an item; outside of filters it is a text', () => {
  const filtered: Endpoint<unknown> = {
    ...endpoint,
    path: '/things',
    constants: {},
    parameters: [
      { argument: ['filter', 'name', 'eq'], name: 'filter[name]' },
      { argument: ['filter', 'kinds'], name: 'filter[kinds]' },
      { argument: ['order'], name: 'order' },
    ],
  };
  const queryOf = (args: object): string => createCall(filtered, args as never).queryString;
  for (const [args, query] of [
    [{ filter: { name: { eq: '' }, kinds: [''] }, order: '' }, 'order='],
    [{ filter: { name: { eq: null }, kinds: ['', 'a', '', 'b'] } }, 'filter[kinds]=a,b'],
    [{ filter: { name: { eq: ' ' }, kinds: ['a'] } }, 'filter[name]=%20&filter[kinds]=a'],
    [{ filter: { kinds: ['', ''] }, order: null }, ''],
    [{ filter: null }, ''],
  ] as const)
    expect([args, queryOf(args)]).toEqual([args, query]);
  expect(() => queryOf({ filter: { kinds: [] } })).toThrow('filter.kinds must name at least one value');
});
