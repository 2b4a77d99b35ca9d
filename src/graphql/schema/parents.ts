import type { DateInterval } from '../billing/date-interval.ts';
import type { Connection, Edge } from '../../paging/connection.ts';
import type { ChargesBreakdownResultRecord } from '../../upstream/endpoints/charges-breakdown.ts';
import type { IpConnectionRecord } from '../../upstream/endpoints/ip-connection.ts';
import type { MissionRecord } from '../../upstream/endpoints/mission.ts';
import type { WebhookDeliveryRecord } from '../../upstream/endpoints/webhook-delivery.ts';

// The parents of types that exist in the gateway only, and not in the API. codegen.yml refers to them.

export type PageInfoParent = Connection<unknown>;
export type IpConnectionConnectionParent = Connection<IpConnectionRecord | null>;
export type IpConnectionEdgeParent = Edge<IpConnectionRecord | null>;
export type MissionConnectionParent = Connection<MissionRecord | null>;
export type MissionEdgeParent = Edge<MissionRecord | null>;
export type WebhookDeliveryConnectionParent = Connection<WebhookDeliveryRecord | null>;
export type WebhookDeliveryEdgeParent = Edge<WebhookDeliveryRecord | null>;
export type ChargesBreakdownResultConnectionParent = Connection<ChargesBreakdownResultRecord | null>;
export type ChargesBreakdownResultEdgeParent = Edge<ChargesBreakdownResultRecord | null>;

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
export interface ServiceHistoryParent {
  readonly alias: string;
  readonly name: string;
  readonly amounts: readonly (string | Error | null)[];
}

/** A sum of costs as text: null where one of them is missing, the error where one of them could not be read. */
export type Cost = string | null | Error;

/** A sum of costs by their kind, which is as the platform sent it. */
export interface CostTypeTotalParent {
  readonly cost_type?: string | null | undefined;
  readonly cost: Cost;
}

/** A sum of costs by the owner of the services, whose names are as the platform sent them. */
export interface ServiceOwnerTotalParent {
  readonly service_owner_user_id?: string | null | undefined;
  readonly service_owner_email?: string | null | undefined;
  readonly cost: Cost;
}

/** What a report costs. A list is null, or the error for it, where it is not known which items it has. */
export interface ChargesBreakdownTotalsParent {
  readonly cost: Cost;
  readonly byCostType: readonly CostTypeTotalParent[] | Error | null;
  readonly byServiceOwner: readonly ServiceOwnerTotalParent[] | Error | null;
}
