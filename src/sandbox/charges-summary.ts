import {
  baseServices,
  chargesIn,
  dateAfter,
  dateRange,
  decimal,
  extraServices,
  monthsIn,
  numbersOf,
  reportHead,
  sum,
  type MonthPart,
  type NumberCharges,
  type Service,
  type Units,
} from './charges-breakdown.ts';
import { Random } from './random.ts';
import type { Query, Route, World } from './world.ts';

/** Usage that belongs to the account, not to one number; `rate` per item. */
const usageItems = [
  { name: 'Outbound voice minutes', alias: 'voice_outbound', rate: 70, perDay: 4200 },
  { name: 'Inbound voice minutes', alias: 'voice_inbound', rate: 35, perDay: 6100 },
  { name: 'Outbound messages', alias: 'messages_outbound', rate: 40, perDay: 2500 },
  { name: 'Recording storage', alias: 'recording_storage', rate: 5, perDay: 300 },
  { name: 'AI mission minutes', alias: 'ai_minutes', rate: 500, perDay: 90 },
];

const reasons = ['Service credit', 'Promotional credit', 'Ledger correction', 'Late fee', 'Port-out fee', 'Rounding'];
const adjustmentAmounts: readonly Units[] = [-150_000, 25_000, -40, -1_234_500, 99_900, -25_000, 12_345];

/** What is charged for each service of numbers, as the report tells it and as its totals sum it. */
function comparativeLines(charges: readonly NumberCharges[]) {
  return [...Object.values(baseServices), ...extraServices].flatMap((service: Service) => {
    const { name, alias, rate, digits } = service;
    const charged = charges.filter(({ number }) => number.services.includes(service));
    const added = charged.filter(({ isNew }) => isNew).length;
    const kept = sum(charged.map(({ renewals }) => renewals));
    const setup = service.setup === null || added === 0 ? null : added * service.setup;
    const json = {
      type: 'comparative',
      name,
      alias,
      new_this_month: {
        quantity: added,
        mrc: decimal(added * rate, digits),
        otc: setup === null ? null : decimal(setup),
      },
      // Numbers that are not new have no one-time charge: the key is absent.
      existing_this_month: { quantity: kept, mrc: decimal(kept * rate, digits) },
    };
    return added + kept === 0 ? [] : { json, newMrc: added * rate, newOtc: setup ?? 0, existingMrc: kept * rate };
  });
}

/** What a month is billed for besides its numbers, in the days that a period bills. */
function extrasOf({ start, end, days, from, until }: MonthPart) {
  // The whole month is made, whatever part of it is asked for.
  const random = new Random(`charges:${start}:${end}`);
  const quantities = usageItems.map(({ perDay }) => {
    const whole = random.int(0, perDay * days);
    const by = (day: number): number => Math.floor((whole * day) / days);
    return by(until) - by(from);
  });
  const adjustments = Array.from({ length: random.int(3, 6) }, (_, at) => ({
    amount: at === 0 ? -150_000 : random.pick(adjustmentAmounts),
    description: `${random.pick(reasons)}, reference ${random.digits(6)}`,
    event_date: dateAfter(start, random.int(0, days - 1)),
  }))
    .filter(({ event_date: date }) => dateAfter(start, from) <= date && date < dateAfter(start, until))
    .toSorted((a, b) => (a.event_date < b.event_date ? -1 : Number(a.event_date > b.event_date)));
  return { quantities, adjustments };
}

/**
 * GET /charges_summary: each total is the exact sum of its lines; negative adjustments are credits, others the ledger's. Monthly charges
 * are those of the first of a month, or of a number's first day; usage and adjustments have days of their own.
 */
function chargesSummary(query: Query, world: World) {
  const range = dateRange(query, 'required', world);
  const services = comparativeLines(chargesIn(range, world));
  // Before its first number, and in the future, the account has no bill: a report of empty lists and zeros.
  const hasNumbers = ({ end }: MonthPart): boolean => numbersOf(world).some(({ activatedOn }) => activatedOn < end);
  const months = monthsIn(range).filter(hasNumbers).map(extrasOf);
  const used = usageItems.flatMap(({ name, alias, rate }, at) => {
    const quantity = sum(months.map(({ quantities }) => quantities[at] ?? 0));
    const amount = quantity * rate;
    const json = { type: 'simple', name, alias, quantity, amount: decimal(amount) };
    return months.length === 0 ? [] : { json, amount };
  });
  const adjusted = months.flatMap(({ adjustments }) => adjustments);
  const amounts = adjusted.map((line) => line.amount);
  const totals = {
    new_mrc: sum(services.map(({ newMrc }) => newMrc)),
    new_otc: sum(services.map(({ newOtc }) => newOtc)),
    existing_mrc: sum(services.map(({ existingMrc }) => existingMrc)),
    other: sum(used.map((line) => line.amount)),
    credits: sum(amounts.filter((amount) => amount < 0)),
    ledger_adjustments: sum(amounts.filter((amount) => amount >= 0)),
  };
  const allTotals = Object.entries({ ...totals, grand_total: sum(Object.values(totals)) });
  return {
    data: {
      ...reportHead(range),
      summary: {
        lines: [...services, ...used].map(({ json }) => json),
        adjustments: adjusted.map((line) => ({ ...line, amount: decimal(line.amount) })),
      },
      total: Object.fromEntries(allTotals.map(([name, amount]) => [name, decimal(amount)])),
    },
  };
}

export const route: Route = { path: '/charges_summary', read: chargesSummary };
