import { lists, possibleTypes, typesWithoutId } from './generated/cached-types.ts';

// Graphcache's own types, without a dependency on Graphcache.
// oxlint-disable-next-line typescript/no-explicit-any
type Values = Record<string, any>;

interface Cache {
  resolve(entity: string, field: string, args?: Values): unknown;
}

/**
 * The settings of Graphcache's `cacheExchange`, by its own `relayPagination`: lists grow page by page, and one row by `id` is read
 * from any list that has brought it. Rows are kept by their `id`, as Graphcache does by itself: it is for life, while the `nodeId` of a
 * connection changes when that is renamed. Graphcache keeps no field that has failed, so a list that was refused stays null.
 */
export function cacheSettings<Resolver>(relayPagination: () => Resolver) {
  const fields = (type: string): Record<string, Resolver> =>
    Object.fromEntries(Object.keys(lists[type] ?? {}).map((name) => [name, relayPagination()]));
  return {
    possibleTypes,
    keys: Object.fromEntries(typesWithoutId.map((type) => [type, () => null])),
    resolvers: {
      Query: {
        ...fields('Query'),
        ipConnection: rowOf('IpConnection', 'ipConnection'),
        mission: rowOf('Mission', 'mission'),
        webhookDelivery: rowOf('WebhookDelivery', 'webhookDelivery'),
      },
      IpConnection: fields('IpConnection'),
      ChargesBreakdown: fields('ChargesBreakdown'),
    },
  };
}

function rowOf(type: string, field: string) {
  return (_query: Values, args: Values, cache: Cache) => {
    const known = cache.resolve('Query', field, args) as Values | null | undefined;
    return known === undefined ? { __typename: type, id: String(args['id']) } : known;
  };
}
