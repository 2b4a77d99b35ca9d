import type { DateInterval } from '../billing/date-interval.ts';
import type { Connection, Edge } from '../../paging/connection.ts';
import type { ChargesBreakdownResultRecord } from '../../upstream/endpoints/charges-breakdown.ts';
import type { IpConnectionRecord } from '../../upstream/endpoints/ip-connection.ts';
import type { MissionRecord } from '../../upstream/endpoints/mission.ts';
import type { WebhookDeliveryRecord } from '../../upstream/endpoints/webhook-delivery.ts';

// The parents of types that exist in the gateway only, and not in the API. codegen.yml refers to them.

export type AnyConnection = Connection<unknown>;
export type IpConnections = Connection<IpConnectionRecord | null>;
export type IpConnectionAt = Edge<IpConnectionRecord | null>;
export type Missions = Connection<MissionRecord | null>;
export type MissionAt = Edge<MissionRecord | null>;
export type WebhookDeliveries = Connection<WebhookDeliveryRecord | null>;
export type WebhookDeliveryAt = Edge<WebhookDeliveryRecord | null>;
export type ChargesBreakdownResults = Connection<ChargesBreakdownResultRecord | null>;
export type ChargesBreakdownResultAt = Edge<ChargesBreakdownResultRecord | null>;

/** `content` is empty where it was not selected: then no call was made for it. */
export interface ChargesBreakdownCsvParent {
  readonly content: string;
  readonly url: string;
}

/** The months of a range, for which no call has been made yet. */
export interface ChargesHistoryParent {
  readonly months: readonly DateInterval[];
}

/**
 * What one service costs, month by month. An amount that is not known is the error in its place, or null where that error is
 * reported at another service.
 */
export interface ServiceCosts {
  readonly alias: string;
  readonly name: string;
  readonly amounts: readonly (string | Error | null)[];
}
