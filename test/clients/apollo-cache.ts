import { InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';

/** A cache that appends pages, and resolves `ipConnection(id:)` to a row that some list has brought. */
export const createCache = (): InMemoryCache =>
  new InMemoryCache({
    possibleTypes: {
      Node: ['IpConnection', 'Mission', 'WebhookDelivery'],
      SummaryLine: ['ComparativeLine', 'SimpleLine'],
      ServiceLine: ['ComparativeLine', 'SimpleLine'],
    },
    typePolicies: {
      Query: {
        fields: {
          ipConnections: relayStylePagination(['filter', 'orderBy']),
          webhookDeliveries: relayStylePagination(['filter']),
          missions: relayStylePagination(),
          ipConnection: {
            read: (known, { args, toReference }) =>
              known === undefined ? toReference({ __typename: 'IpConnection', id: args?.['id'] }) : known,
          },
        },
      },
      IpConnection: { fields: { webhookDeliveries: relayStylePagination(['filter']) } },
      // Has no identity of its own, and is not to be replaced when another page of it comes.
      ChargesBreakdown: { merge: true, fields: { results: relayStylePagination(['filter', 'orderBy']) } },
    },
  });
