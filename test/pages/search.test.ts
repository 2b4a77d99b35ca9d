import MiniSearch from 'minisearch';
import { expect, test } from '../support/gateway.ts';
// The code of the page, which is no TypeScript.
const { createSearch, excerptOf } = (await import(
  new URL('../../src/explorer/browser/search.js', import.meta.url).href
)) as {
  readonly createSearch: (of: typeof MiniSearch, sections: unknown) => (text: string) => readonly Found[];
  readonly excerptOf: (found: Found) => readonly { readonly word: string; readonly isFound: boolean }[];
};

interface Found {
  readonly id: string;
  readonly text: string;
}

const guide = '/docs/client-guide.md';

test.for([
  ['infinite scroll', `${guide}#pagination-lists-and-cursors`],
  ['pagination', `${guide}#pagination-lists-and-cursors`],
  ['useQuery', `${guide}#react-hooks`],
  ['hooks', `${guide}#react-hooks`],
  ['quickstart', `${guide}#quickstart`],
  ['persisted queries', `${guide}#persisted-queries`],
  ['persisted query', `${guide}#persisted-queries`],
  ['money', `${guide}#values-money-dates-and-time-zones`],
  ['timezone', `${guide}#values-money-dates-and-time-zones`],
  ['pricing', `${guide}#limits`],
  ['docker', '/docs/deployment.md#docker-image'],
  ['kubernetes', '/docs/deployment.md#kubernetes'],
  ['kuberntes', '/docs/deployment.md#kubernetes'],
  ['pagin', `${guide}#pagination-lists-and-cursors`],
] as const)('the search of the guides leads from %j to %s first', async ([sought, section], { gateway }) => {
  const response = await gateway.fetch('/docs', { headers: { accept: 'application/json' } });
  const [first] = createSearch(MiniSearch, await response.json())(sought);
  expect(first?.id).toBe(section);
});

test('shows whole words around those that were found, and marks them', async () => {
  const text = 'one two three four five six seven eight nine ten eleven twelve Thirteen, fourteen';
  const [found] = createSearch(MiniSearch, [{ path: '/a#b', guide: 'a', title: 'b', text }])('thirteen');
  const excerpt = found === undefined ? [] : excerptOf(found);
  expect(excerpt.map(({ word }) => word).join(' ')).toBe('seven eight nine ten eleven twelve Thirteen, fourteen');
  expect(excerpt.filter(({ isFound }) => isFound)).toEqual([{ word: 'Thirteen,', isFound: true }]);
});
