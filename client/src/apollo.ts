import { lists, possibleTypes } from './generated/cached-types.ts';

type Pages = (keyArgs: string[] | false) => object;

interface PageOptions {
  readonly args: Readonly<Record<string, unknown>> | null;
}

interface RowOptions extends PageOptions {
  // oxlint-disable-next-line typescript/no-explicit-any -- Apollo's Reference, without a dependency on Apollo.
  readonly toReference: (object: { __typename: string; id: any }) => any;
}

/** What Apollo's policy of a field does with pages; null is what a list is that the gateway has refused. */
interface PagePolicy {
  merge(existing: unknown, incoming: unknown, options: PageOptions): unknown;
  read(existing: unknown, options: PageOptions): unknown;
}

/**
 * The settings of an InMemoryCache, by Apollo's own `relayStylePagination`: lists grow page by page, one row by `id` is read from any
 * list that has brought it, and a list that was refused stays null. Rows are kept by their `id`, as Apollo does by itself: it is for
 * life, while the `nodeId` of a connection changes when that is renamed.
 */
export function cachePolicies<Policy extends object>(relayStylePagination: (keyArgs: string[] | false) => Policy) {
  const pages = keepingNull(relayStylePagination) as (keyArgs: string[] | false) => Policy;
  const fields = (type: string): Record<string, Policy> =>
    Object.fromEntries(
      Object.entries(lists[type] ?? {}).map(([name, keyArgs]) => [name, pages(keyArgs.length > 0 && [...keyArgs])]),
    );
  return {
    possibleTypes,
    typePolicies: {
      Query: {
        fields: {
          ...fields('Query'),
          ipConnection: { read: rowOf('IpConnection') },
          mission: { read: rowOf('Mission') },
          webhookDelivery: { read: rowOf('WebhookDelivery') },
        },
      },
      IpConnection: { fields: fields('IpConnection') },
      // Has no identity of its own, and is not to be replaced when another page of it comes.
      ChargesBreakdown: { merge: true, fields: fields('ChargesBreakdown') },
    },
  };
}

/**
 * `relayStylePagination` makes an empty list with a next page of null. Here null is null, until the list is read again; a later page
 * that is refused leaves the pages before it, and its error is in the result of `fetchMore`.
 */
function keepingNull(relayStylePagination: Pages): Pages {
  return (keyArgs) => {
    const policy = relayStylePagination(keyArgs) as PagePolicy;
    const own: PagePolicy = {
      merge(existing, incoming, options) {
        if (incoming !== null) return policy.merge(existing ?? undefined, incoming, options);
        const isLater = (options.args?.['after'] ?? options.args?.['before'] ?? null) !== null;
        return isLater ? (existing ?? null) : null;
      },
      read: (existing, options) => (existing === null ? null : policy.read(existing, options)),
    };
    return { ...policy, ...own };
  };
}

function rowOf(type: string) {
  return (known: unknown, { args, toReference }: RowOptions) =>
    known === undefined ? toReference({ __typename: type, id: args?.['id'] }) : known;
}
