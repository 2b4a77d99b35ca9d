import { readObject } from '../response/body-reader.ts';
import { readCsv } from '../response/csv-report.ts';
import type { Endpoint, Parameter } from '../endpoint.ts';

/** The charges of an account for one period, by phone number. REST contract, 'Charges breakdown'. */
export interface ChargesBreakdownRecord {
  readonly user_id?: string | null;
  readonly start_date?: string | null;
  readonly end_date?: string | null;
  readonly user_email?: string | null;
  readonly currency?: string | null;
  readonly results?: readonly (ChargesBreakdownResultRecord | null)[] | null;
}

/** The charges of one phone number. REST contract, 'Charges breakdown', Result record. */
export interface ChargesBreakdownResultRecord {
  readonly tn?: string | null;
  readonly charge_type?: string | null;
  readonly service_owner_user_id?: string | null;
  readonly service_owner_email?: string | null;
  readonly services?: readonly (ServiceChargeRecord | null)[] | null;
}

/** What one service cost, a decimal string. REST contract, 'Charges breakdown', Service charge record. */
export interface ServiceChargeRecord {
  readonly cost_type?: string | null;
  readonly name?: string | null;
  readonly cost?: string | null;
}

const parameters: readonly Parameter[] = [
  { argument: ['startDate'], name: 'start_date' },
  { argument: ['endDate'], name: 'end_date' },
];

/** REST contract, "GET /charges_breakdown": the charges of at most 31 days, number by number. */
export const getChargesBreakdown: Endpoint<ChargesBreakdownRecord> = {
  name: 'GET /charges_breakdown',
  coordinate: 'Query.chargesBreakdown',
  path: '/charges_breakdown',
  accept: 'application/json',
  parameters,
  constants: { format: 'json' },
  read: readObject,
  longList: 'results',
  isPagedHere: true,
};

/** The same report as CSV text, whose columns the contract does not show. */
export const getChargesBreakdownCsv: Endpoint<string> = {
  name: getChargesBreakdown.name,
  coordinate: 'Query.chargesBreakdownCsv',
  path: getChargesBreakdown.path,
  accept: 'text/csv',
  parameters,
  constants: { format: 'csv' },
  read: readCsv,
};
