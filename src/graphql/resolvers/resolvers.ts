import type { Resolvers, ResolversParentTypes } from '../../generated/schema.ts';
import { scalars } from '../schema/scalars.ts';
import type { MissingResolvers } from '../schema/missing-resolvers.ts';
import {
  chargesBreakdown,
  chargesBreakdownCsv,
  chargesBreakdownResultType,
  chargesBreakdownTotals,
  chargesBreakdownType,
  costTypeTotal,
  serviceOwnerTotal,
} from './charges-breakdown.ts';
import {
  chargesHistory,
  chargesHistoryByService,
  chargesHistoryByServiceType,
  chargesMonth,
  serviceHistory,
} from './charges-history.ts';
import { chargesSummary, chargesSummaryType, comparativeLine, lineType } from './charges-summary.ts';
import { connectionType, edgeType, pageInfo } from './connection.ts';
import {
  ipConnection,
  ipConnectionInbound,
  ipConnectionOutbound,
  ipConnections,
  ipConnectionType,
} from './ip-connection.ts';
import { mission, missions, missionType } from './mission.ts';
import { node, nodes, nodeType } from './node.ts';
import {
  attemptError,
  attemptType,
  httpHeader,
  liveWebhookDeliveries,
  webhookDeliveries,
  webhookDelivery,
  webhookDeliveryType,
} from './webhook-delivery.ts';

type Types = Required<Resolvers>;

/**
 * For each type, the fields that need a resolver. A field that its record lacks, or that the schema promises where the record may be
 * null, is a compile error here until it has one, and not a null in production.
 */
type MissingTypes = {
  [
    Type in keyof Types & keyof ResolversParentTypes as keyof MissingResolvers<
      Types[Type],
      ResolversParentTypes[Type]
    > extends never
      ? never
      : Type
  ]: MissingResolvers<Types[Type], ResolversParentTypes[Type]>;
};

/** The resolvers of fields that their records lack. Every other field is read from its record (wire-fields.ts). */
export const resolvers = {
  ...scalars,
  Query: {
    chargesSummary,
    chargesBreakdown,
    chargesBreakdownCsv,
    chargesHistory,
    chargesHistoryByService,
    ipConnections,
    missions,
    webhookDeliveries,
    ipConnection,
    mission,
    webhookDelivery,
    node,
    nodes,
  },
  Subscription: {
    webhookDeliveries: liveWebhookDeliveries,
  },
  Node: nodeType,
  PageInfo: pageInfo,
  ChargesSummary: chargesSummaryType,
  SummaryLine: lineType,
  ServiceLine: lineType,
  ComparativeLine: comparativeLine,
  ChargesHistoryByService: chargesHistoryByServiceType,
  ChargesMonth: chargesMonth,
  ServiceHistory: serviceHistory,
  ChargesBreakdown: chargesBreakdownType,
  ChargesBreakdownResult: chargesBreakdownResultType,
  ChargesBreakdownTotals: chargesBreakdownTotals,
  CostTypeTotal: costTypeTotal,
  ServiceOwnerTotal: serviceOwnerTotal,
  ChargesBreakdownResultConnection: connectionType('ChargesBreakdownResultConnection'),
  ChargesBreakdownResultEdge: edgeType('ChargesBreakdownResultEdge'),
  IpConnection: ipConnectionType,
  IpConnectionConnection: connectionType('IpConnectionConnection'),
  IpConnectionEdge: edgeType('IpConnectionEdge'),
  IpConnectionInbound: ipConnectionInbound,
  IpConnectionOutbound: ipConnectionOutbound,
  MissionConnection: connectionType('MissionConnection'),
  MissionEdge: edgeType('MissionEdge'),
  Mission: missionType,
  WebhookDelivery: webhookDeliveryType,
  WebhookDeliveryConnection: connectionType('WebhookDeliveryConnection'),
  WebhookDeliveryEdge: edgeType('WebhookDeliveryEdge'),
  WebhookDeliveryAttempt: attemptType,
  AttemptError: attemptError,
  HttpHeader: httpHeader,
} satisfies MissingTypes & Pick<Types, 'Query' | 'Subscription'> & { [Type in keyof Types]?: Partial<Types[Type]> };
