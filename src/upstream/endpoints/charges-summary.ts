import { readObject } from '../response/body-reader.ts';
import type { Endpoint } from '../endpoint.ts';

/** The charges of an account for one period. REST contract, 'Charges summary'. */
export interface ChargesSummaryRecord {
  readonly user_id: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly user_email: string;
  readonly currency: string;
  readonly summary: SummaryRecord;
  readonly total: TotalSummaryRecord;
}

/** What the totals are made of. REST contract, 'Charges summary', Summary. */
export interface SummaryRecord {
  readonly lines: readonly (SummaryLineRecord | null)[];
  readonly adjustments: readonly (AdjustmentLineRecord | null)[];
}

/** One service's charges, told apart by `type`. REST contract, 'Charges summary', SummaryLine. */
export type SummaryLineRecord = ComparativeLineRecord | SimpleLineRecord;

/** New charges beside existing ones. REST contract, 'Charges summary', ComparativeLine. */
export interface ComparativeLineRecord {
  readonly type: 'comparative';
  readonly name: string;
  readonly alias: string;
  readonly new_this_month: MonthDetailRecord;
  readonly existing_this_month: MonthDetailRecord;
}

/** Quantity and one amount. REST contract, 'Charges summary', SimpleLine. */
export interface SimpleLineRecord {
  readonly type: 'simple';
  readonly name: string;
  readonly alias: string;
  readonly quantity: number;
  readonly amount: string;
}

/** Charges as decimal strings; `otc` null or absent means no one-time charge. REST contract, 'Charges summary', MonthDetail. */
export interface MonthDetailRecord {
  readonly quantity: number;
  readonly mrc: string;
  readonly otc?: string | null;
}

/** One correction; its amount may be negative. REST contract, 'Charges summary', AdjustmentLine. */
export interface AdjustmentLineRecord {
  readonly amount: string;
  readonly description: string;
  readonly event_date: string;
}

/** Totals as decimal strings. REST contract, 'Charges summary', TotalSummary. */
export interface TotalSummaryRecord {
  readonly new_mrc: string;
  readonly new_otc: string;
  readonly existing_mrc: string;
  readonly other: string;
  readonly credits: string;
  readonly ledger_adjustments: string;
  readonly grand_total: string;
}

/** REST contract, "GET /charges_summary": the charges of at most 31 days. */
export const getChargesSummary: Endpoint<ChargesSummaryRecord> = {
  name: 'GET /charges_summary',
  coordinate: 'Query.chargesSummary',
  path: '/charges_summary',
  accept: 'application/json',
  parameters: [
    { argument: ['startDate'], name: 'start_date' },
    { argument: ['endDate'], name: 'end_date' },
  ],
  read: readObject,
};
