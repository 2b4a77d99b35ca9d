import type { Exchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

/** Types whose objects have no identity of their own. */
export const values = `
  AdjustmentLine AttemptError AttemptHttp AttemptRequest AttemptResponse ChargesBreakdown ChargesBreakdownCsv
  ChargesBreakdownResult ChargesBreakdownTotals ChargesForecast ChargesHistoryByService ChargesMonth ChargesSummary
  ComparativeLine CostTypeTotal DeliveryArrived DeliveryBucket DeliveryCounts DeliveryFailureGroup DeliveryFailures
  DeliveryStatusCount FeedStateChanged HttpHeader IpConnectionInbound IpConnectionOutbound JitterBuffer MonthDetail
  NoiseSuppressionDetails RtcpSettings ServiceChange ServiceCharge ServiceHistory ServiceOwnerTotal SimpleLine Summary
  TotalSummary WebhookDeliveryAttempt`
  .trim()
  .split(/\s+/);

/** A cache that appends pages, and resolves `ipConnection(id:)` to a row that some list has brought. */
export const createCacheExchange = (): Exchange =>
  cacheExchange({
    possibleTypes: {
      Node: ['IpConnection', 'Mission', 'WebhookDelivery'],
      SummaryLine: ['ComparativeLine', 'SimpleLine'],
      ServiceLine: ['ComparativeLine', 'SimpleLine'],
    },
    keys: Object.fromEntries(values.map((type) => [type, () => null])),
    resolvers: {
      Query: {
        ipConnections: relayPagination(),
        webhookDeliveries: relayPagination(),
        missions: relayPagination(),
        ipConnection: (_query, args, cache) => {
          const known = cache.resolve('Query', 'ipConnection', args);
          return known === undefined ? { __typename: 'IpConnection', id: args['id'] as string } : known;
        },
      },
      IpConnection: { webhookDeliveries: relayPagination() },
      ChargesBreakdown: { results: relayPagination() },
    },
  });
