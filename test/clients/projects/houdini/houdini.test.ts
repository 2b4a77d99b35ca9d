import { expectTypeOf, vi } from 'vitest';
import { cursorHandlers } from 'houdini/runtime';
import overview, { type Overview$input, type Overview$result } from '$houdini/artifacts/Overview';
import deliveries, {
  type Deliveries_Pagination_Query$input,
  type Deliveries_Pagination_Query$result,
} from '$houdini/artifacts/Deliveries_Pagination_Query';
import { expect, test as base } from '../gateway.ts';
import { expectOverview, idsOf, october, refusal, unknownAccountKey } from '../overview.ts';

type Store = Awaited<ReturnType<typeof observe>>;

/** A store of the query, with the cache and the address of its own: `houdini.config.js` reads it from the environment. */
async function observe(url: string, key: string) {
  vi.stubEnv('VITE_SWITCHBOARD_URL', url);
  // Its cache keeps nothing outside a browser.
  vi.stubGlobal('window', {});
  vi.resetModules();
  const { createClient } = await import('./src/client');
  const client = createClient(key);
  return {
    overview: client.observe<Overview$result, Overview$input>({ artifact: overview }),
    deliveries: client.observe<Deliveries_Pagination_Query$result, Deliveries_Pagination_Query$input>({
      artifact: deliveries,
    }),
  };
}

const test = base.extend<{ readonly store: Store }>({
  store: async ({ url }, use) => use(await observe(url, 'sandbox-key')),
});

test('Houdini types and reads a bill and a page of missions', async ({ store }) => {
  const { data, errors } = await store.overview.send({ variables: october });
  expect(errors).toBeNull();
  expectOverview(data ?? { chargesSummary: null, missions: null });
  expectTypeOf(data?.chargesSummary?.total.grandTotal).toEqualTypeOf<string | undefined>();
  expectTypeOf(data?.missions?.edges[0]?.node?.createdAt).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(data?.missions?.edges[0]?.node?.metadata).toEqualTypeOf<unknown>();
  // @ts-expect-error The document does not select it.
  expect(data?.chargesSummary?.userEmail).toBeUndefined();
});

test('Houdini appends the next page', async ({ store: { overview: store } }) => {
  await store.send({ variables: october });
  // What its plugins for Svelte and React make of a query with `@paginate`.
  const { loadNextPage } = cursorHandlers<Overview$result, Overview$input>({
    artifact: overview,
    getState: () => store.state.data,
    getVariables: () => october,
    getSession: async () => ({}),
    fetch: (params) => store.send(params),
    fetchUpdate: (params, applyUpdates) =>
      store.send({ ...params, cacheParams: { applyUpdates, disableSubscriptions: true } }),
  });
  await loadNextPage();
  expect(new Set(idsOf({ missions: store.state.data?.missions ?? null })).size).toBe(4);
});

test('Houdini reads the pages of a fragment by the identifier of its row', async ({ url, store }) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-key' },
    body: JSON.stringify({ query: '{ ipConnections(first: 1) { nodes { id } } }' }),
  });
  const { data: list } = await response.json();
  const { data, errors } = await store.deliveries.send({ variables: { id: list.ipConnections.nodes[0].id } });
  expect(errors).toBeNull();
  expect(data?.ipConnection).toMatchObject({ webhookDeliveries: { pageInfo: { hasNextPage: true } } });
});

test('Houdini gives the code of a field that failed, and the fields that did not', async ({ url }) => {
  const store = await observe(url, unknownAccountKey);
  const { data, errors } = await store.overview.send({ variables: october });
  expect(data).toMatchObject({ chargesSummary: null, missions: { totalCount: 230 } });
  expect(errors).toMatchObject([refusal]);
});
