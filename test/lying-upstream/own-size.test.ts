import { describe } from 'vitest';
import { kinds } from '../lists/look-up/kind.ts';
import { expect, test } from '../support/gateway.ts';
import { MovingUpstream } from '../support/moving-upstream.ts';
import { serve, type Manner } from './manner.ts';
import { createReader } from './reader.ts';

const sizes = [7, 10, 19, 30, 100] as const;
const lengths = [25, 40, 204] as const;

const tellings: readonly [string, Manner['metaOf']][] = [
  ['says so', undefined],
  ['claims the size that was asked for', (meta, { asked }) => ({ ...meta, page_size: asked })],
  ['tells no total', ({ page_number, page_size }) => ({ page_number, page_size })],
];

describe.each(kinds)('an upstream with one page size of its own for $list', (kind) => {
  test.for(tellings)(
    'that %s gives right pages and rows, or an error',
    async ([name, metaOf], { gateway, upstream }) => {
      for (const size of sizes)
        for (const length of lengths) {
          const list = new MovingUpstream(kind.path, length);
          upstream.script(serve(list, { sizeOf: () => size, ...(metaOf && { metaOf }) }));
          const reader = createReader(gateway, kind);
          const told = `pages of ${size}, ${length} rows`;
          const isKnown = name === 'says so';
          for (const first of [10, 25]) {
            const { data, message } = await reader.walk(first);
            const walked = data as readonly string[];
            expect(walked, told).toEqual(list.ids.slice(0, walked.length));
            if (message === null || isKnown)
              expect({ walked, message }, told).toEqual({ walked: list.ids, message: null });
          }
          for (const offset of [size, Math.max(0, length - size), length - 4, length - 1]) {
            const { data } = await reader.page(`first: 10, offset: ${offset}`);
            const rows = list.ids.slice(offset, offset + 10);
            expect(isKnown ? [rows] : [rows, 'UPSTREAM_BAD_RESPONSE'], `${told}, from ${offset}`).toContainEqual(data);
          }
          const wanted = [list.ids.at(-1) ?? '', list.ids[size % length] ?? '', 'nobody'];
          for (const id of wanted) {
            const { data } = await reader.id(id);
            const row = id === 'nobody' ? null : id;
            expect(isKnown ? [row] : [row, 'UPSTREAM_BAD_RESPONSE', 'QUERY_TOO_COMPLEX'], `${told}, ${id}`).toContain(
              data,
            );
          }
        }
    },
  );
});
