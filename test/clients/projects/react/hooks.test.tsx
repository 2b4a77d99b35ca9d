import { body } from './page.ts';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { relayStylePagination } from '@apollo/client/utilities';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Client, fetchExchange, Provider } from 'urql';
import { onTestFinished } from 'vitest';
import { cachePolicies } from '../../../../client/src/apollo.ts';
import { useInfiniteConnection } from '../../../../client/src/react.ts';
import { createCacheExchange } from '../../urql-cache.ts';
import { expect, test } from '../gateway.ts';
import { ApolloMissionList } from './src/apollo-mission-list.tsx';
import { LiveDeliveries } from './src/live-deliveries.tsx';
import { MissionList } from './src/mission-list.tsx';
import { Rows } from './src/rows.tsx';

const headers = { authorization: 'Bearer sandbox-key' };

/** Shows a page, and returns how to show another one in its place. */
function show(page: ReactNode): (next: ReactNode) => void {
  const container = document.createElement('main');
  body.replaceChildren(container);
  const root = createRoot(container);
  onTestFinished(() => root.unmount());
  root.render(page);
  return (next) => root.render(next);
}

const rows = (): readonly string[] => [...body.querySelectorAll('li')].map(({ textContent }) => textContent ?? '');

const lists: Readonly<Record<string, (uri: string, fetch: typeof globalThis.fetch) => ReactNode>> = {
  urql: (url, fetch) => {
    const exchanges = [createCacheExchange(), fetchExchange];
    return (
      <Provider value={new Client({ url, fetch, fetchOptions: { headers }, exchanges })}>
        <MissionList />
      </Provider>
    );
  },
  'Apollo Client': (uri, fetch) => {
    const cache = new InMemoryCache(cachePolicies(relayStylePagination));
    return (
      <ApolloProvider client={new ApolloClient({ link: new HttpLink({ uri, fetch, headers }), cache })}>
        <ApolloMissionList />
      </ApolloProvider>
    );
  },
};

test.for(Object.entries(lists))(
  'useInfiniteConnection reads a list to its end by %s, and a page that failed when it is asked to',
  async ([, pageOf], { url }) => {
    let requests = 0;
    show(pageOf(url, (input, init) => (++requests === 2 ? Promise.reject(new Error('cut off')) : fetch(input, init))));
    await expect.poll(() => body.querySelector('[role=alert]')?.textContent).toContain('cut off');
    expect([rows().length, requests]).toEqual([100, 2]);
    body.querySelector('button')?.click();
    await expect.poll(() => rows().length).toBe(230);
    expect(new Set(rows()).size).toBe(230);
    await expect.poll(() => body.querySelector('button')).toBeNull();
    expect(requests).toBe(4);
  },
);

test('useInfiniteConnection reads behind a cursor again if the list has ended elsewhere since', async () => {
  const read: string[] = [];
  const List = ({ end }: { end: string | null }) => {
    const connection = { edges: [], pageInfo: { hasNextPage: end !== null, endCursor: end } };
    const readPage = (after: string) => {
      if (read.push(after) === 1) throw new Error('not ready');
      return Promise.resolve({});
    };
    return <Rows {...useInfiniteConnection(connection, readPage)} />;
  };
  const showNext = show(<List end="a" />);
  await expect.poll(() => body.querySelector('[role=alert]')?.textContent).toBe('Error: not ready');
  showNext(<List end={null} />);
  await expect.poll(() => body.querySelector('button')).toBeNull();
  showNext(<List end="a" />);
  await expect.poll(() => read).toEqual(['a', 'a']);
});

test('useLiveDeliveries shows what appears, and follows anew where the filter has changed', async ({ url }) => {
  const deliver = (status: string): Promise<Response> =>
    fetch(new URL('/sandbox/deliveries', url), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ status }),
    });
  const isLive = () => expect.poll(() => body.querySelector('[role=status]')?.textContent).toBe('LIVE');
  const page = (status: string) => <LiveDeliveries url={url} apiKey="sandbox-key" status={status} />;
  const showNext = show(page('failed'));
  await isLive();
  expect((await deliver('failed')).ok).toBe(true);
  await expect.poll(() => rows().some((row) => row.endsWith(' failed'))).toBe(true);
  showNext(page('delivered'));
  await expect.poll(() => rows().some((row) => row.endsWith(' failed'))).toBe(false);
  await isLive();
  expect((await deliver('delivered')).ok).toBe(true);
  await expect.poll(() => rows().some((row) => row.endsWith(' delivered'))).toBe(true);
});
