import { InfiniteQueryObserver } from '@tanstack/react-query';
import { expectTypeOf } from 'vitest';
import { expect, test } from '../gateway.ts';
import { createExecute, GatewayError } from './src/execute';
import { createQueryClient, missionPages } from './src/missions';

test('TanStack Query reads page after page until there is none, each row once', async ({ url }) => {
  const client = createQueryClient();
  // What `useInfiniteQuery` makes for a component.
  const observer = new InfiniteQueryObserver(client, missionPages(createExecute(url, 'sandbox-key')));
  const stop = observer.subscribe(() => {});
  await observer.refetch({ cancelRefetch: false });
  const lengths: number[] = [];
  while (observer.getCurrentResult().hasNextPage) {
    lengths.push(observer.getCurrentResult().data?.pages.length ?? 0);
    await observer.fetchNextPage();
  }
  const rows = observer.getCurrentResult().data?.pages.flatMap(({ edges }) => edges) ?? [];
  stop();
  expectTypeOf<(typeof rows)[number]['node']['createdAt']>().toEqualTypeOf<string | null>();
  expect(lengths).toEqual([1, 2]);
  expect(rows).toHaveLength(230);
  expect(new Set(rows.map(({ node }) => node.id)).size).toBe(230);
});

test.for([
  { code: 'FORBIDDEN', retryable: false, calls: 1 },
  { code: 'UPSTREAM_TIMEOUT', retryable: true, calls: 4 },
])('TanStack Query asks $calls times where the error is $code', async ({ code, retryable, calls }) => {
  let count = 0;
  const failing = async (): Promise<never> => {
    count += 1;
    throw new GatewayError([{ message: code, extensions: { code, retryable } }], null);
  };
  const pages = createQueryClient().fetchInfiniteQuery({ ...missionPages(failing), retryDelay: 0 });
  await expect(pages).rejects.toMatchObject({ message: code });
  expect(count).toBe(calls);
});
