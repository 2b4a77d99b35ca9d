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
