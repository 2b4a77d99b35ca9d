import { chargesIn, dateRange, decimal, reportHead, type DateRange, type NumberCharges } from './account.ts';
import { badParameter } from './errors.ts';
import { value, type Query } from './list.ts';
import type { Route, World } from './world.ts';

const columns = ['tn', 'charge_type', 'service_owner_user_id', 'service_owner_email', 'cost_type', 'name', 'cost'];

function recordOf({ number, isNew, renewals }: NumberCharges) {
  const { tn, chargeType, owner, isOwnerEmailKnown, setup } = number;
  const monthly = number.services.map(({ name, rate, digits }) => ({
    cost_type: 'MRC',
    name,
    cost: decimal(rate, digits),
  }));
  const services = Array.from({ length: renewals + Number(isNew) }, () => monthly).flat();
  if (services.length > 0 && isNew) services.push({ cost_type: 'OTC', name: 'Number setup', cost: decimal(setup) });
  return {
    tn,
    charge_type: chargeType,
    service_owner_user_id: owner?.id ?? null,
    service_owner_email: isOwnerEmailKnown ? (owner?.email ?? null) : null,
    services,
  };
}

/** RFC 4180 text: a header line, then the rows, each ended by CRLF; null is an empty cell. */
function csv(range: DateRange, world: World): string {
  const rows = chargesIn(range, world).flatMap((charges) => {
    const { services, ...own } = recordOf(charges);
    // A number without services has one row whose service columns are empty: no number is lost in the CSV form.
    if (services.length === 0) return [[...Object.values(own), null, null, null]];
    return services.map((service) => [...Object.values(own), ...Object.values(service)]);
  });
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string | null): string {
  if (text === null) return '';
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** GET /charges_breakdown: JSON, or CSV with a row per number and service. */
function chargesBreakdown(query: Query, world: World) {
  const range = dateRange(query, 'defaults to a month', world);
  const format = value(query, 'format') ?? 'json';
  if (format === 'csv')
    return { csv: csv(range, world), filename: `charges_breakdown_${range.start}_${range.end}.csv` };
  if (format !== 'json') throw badParameter('format', 'The format must be one of json, csv.');
  return { data: { ...reportHead(range), results: chargesIn(range, world).map(recordOf) } };
}

export const route: Route = { path: '/charges_breakdown', billing: true, read: chargesBreakdown };
