import { currency, userEmail, userId } from './account.ts';
import { csv } from './csv.ts';
import { dateRange, type DateRange } from './date-range.ts';
import { decimal } from './decimal.ts';
import { badParameter } from './errors.ts';
import { isNew, numbersIn, recurring, type PhoneNumber } from './phone-number.ts';
import { value, type Query } from './query.ts';
import type { Route } from './routes.ts';

const columns = ['tn', 'charge_type', 'service_owner_user_id', 'service_owner_email', 'cost_type', 'name', 'cost'];

function servicesOf(number: PhoneNumber, range: DateRange) {
  const monthly = recurring(number).map((service) => ({
    cost_type: 'MRC',
    name: service.name,
    cost: decimal(service.rate, service.digits),
  }));
  if (monthly.length === 0 || !isNew(number, range)) return monthly;
  return [...monthly, { cost_type: 'OTC', name: 'Number setup', cost: decimal(number.base?.setup ?? 0) }];
}

function recordOf(number: PhoneNumber, range: DateRange) {
  return {
    tn: number.tn,
    charge_type: number.labelled ? number.chargeType : null,
    service_owner_user_id: number.owner?.id ?? null,
    service_owner_email: number.ownerEmailKnown ? (number.owner?.email ?? null) : null,
    services: servicesOf(number, range),
  };
}

function rowsIn(range: DateRange): (string | null)[][] {
  return numbersIn(range)
    .map((number) => recordOf(number, range))
    .flatMap((result) => {
      const own = [result.tn, result.charge_type, result.service_owner_user_id, result.service_owner_email];
      // A number without services has one row whose service columns are empty: no number is lost in the CSV form.
      if (result.services.length === 0) return [[...own, null, null, null]];
      return result.services.map((service) => [...own, service.cost_type, service.name, service.cost]);
    });
}

/** GET /charges_breakdown: JSON, or CSV with a row per number and service. */
export function chargesBreakdown(query: Query) {
  const range = dateRange(query, 'defaults to a month');
  const format = value(query, 'format') ?? 'json';
  if (format === 'csv') {
    return { csv: csv(columns, rowsIn(range)), filename: `charges_breakdown_${range.start}_${range.end}.csv` };
  }
  if (format !== 'json') throw badParameter('format', 'The format must be one of json, csv.');
  return {
    data: {
      user_id: userId,
      start_date: range.start,
      end_date: range.end,
      user_email: userEmail,
      currency,
      results: numbersIn(range).map((number) => recordOf(number, range)),
    },
  };
}

export const route: Route = { path: '/charges_breakdown', billing: true, read: chargesBreakdown };
