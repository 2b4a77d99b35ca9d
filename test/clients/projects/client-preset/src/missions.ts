import { infiniteQueryOptions, QueryClient } from '@tanstack/react-query';
import { GatewayError, type createExecute } from './execute';
import { graphql } from './generated';

const MissionPage = graphql(`
  query MissionPage($after: String) {
    missions(first: 100, after: $after) {
      totalCount
      edges {
        node {
          id
          name
          createdAt
          metadata
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** For `useInfiniteQuery`: all missions, page by page. */
export const missionPages = (execute: ReturnType<typeof createExecute>) =>
  infiniteQueryOptions({
    queryKey: ['missions'],
    queryFn: async ({ pageParam }) => (await execute(MissionPage, { after: pageParam })).missions,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined),
  });

/** A cache for one key, which asks again only where the gateway says that it may help. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) =>
          failures < 3 &&
          (!(error instanceof GatewayError) || error.errors.every(({ extensions }) => extensions.retryable)),
      },
    },
  });
