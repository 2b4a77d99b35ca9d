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

const start = '/docs/guide/start.md';
const lists = '/docs/guide/lists.md#pagination-lists-and-cursors';
const requests = '/docs/reference/requests.md';
const operations = '/docs/operations.md';
const connections = '/docs/reference/rest-to-graphql.md#get-ip_connections';
const router = '/docs/supergraph.md#live-deliveries-through-a-router';
const errors = '/docs/reference/errors.md';

test.for([
  ['infinite scroll', lists],
  ['useQuery', `${start}#react-hooks`],
  ['hooks', `${start}#react-hooks`],
  ['quickstart', `${start}#quickstart`],
  ['persisted queries', `${requests}#persisted-queries`],
  ['persisted query', `${requests}#persisted-queries`],
  ['money', `${requests}#values-money-dates-and-time-zones`],
  ['timezone', `${requests}#values-money-dates-and-time-zones`],
  ['pricing', `${requests}#limits`],
  ['docker', '/docs/deployment.md#docker-image'],
  ['kubernetes', '/docs/deployment.md#kubernetes'],
  ['kuberntes', '/docs/deployment.md#kubernetes'],
  ['pagin', lists],
  ['pagination', lists],
  ['client certificate', `${operations}#proxy-private-authority-client-certificate`],
  ['self signed certificate', `${operations}#why-the-api-cannot-be-reached`],
  ['ENOTFOUND', `${operations}#why-the-api-cannot-be-reached`],
  ['UPSTREAM_BAD_RESPONSE', `${errors}#upstream_bad_response`],
  ['filter[outbound.outbound_voice_profile_id]', connections],
  ['roll back', '/docs/upgrade.md#roll-back'],
  ['memory for streams', '/docs/deployment.md#sizing'],
  ['router live', router],
  ['what is the argument for filter[outbound.outbound_voice_profile_id]', connections],
  ['what does UPSTREAM_BAD_RESPONSE mean for a page', `${errors}#upstream_bad_response`],
  ['how to use a proxy', `${operations}#proxy-private-authority-client-certificate`],
  ['how do I roll back', '/docs/upgrade.md#roll-back'],
  ['rollback', '/docs/upgrade.md#upgrade-and-roll-back'],
  ['memory for 2,000 streams', '/docs/deployment.md#sizing'],
  ['memory for 2000 streams', '/docs/deployment.md#sizing'],
  ['how a page pages', lists],
  ['which router settings live data need', router],
  ['ulimit', `${operations}#open-files`],
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
