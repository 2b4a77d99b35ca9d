import { currency, userEmail, userId } from './account.ts';
import { dateRange, dateWithin, type DateRange } from './date-range.ts';
import { decimal, sum, type Units } from './decimal.ts';
import { isNew, numbersIn, recurring, type PhoneNumber } from './phone-number.ts';
import type { Query } from './query.ts';
import { Random } from './random.ts';
import { baseServices, extraServices, usageItems, type Service } from './service.ts';
import type { Route } from './routes.ts';

const reasons = ['Service credit', 'Promotional credit', 'Ledger correction', 'Late fee', 'Port-out fee', 'Rounding'];
const adjustmentAmounts: readonly Units[] = [-150_000, 25_000, -40, -1_234_500, 99_900, -25_000, 12_345];

interface ComparativeLine {
  readonly service: Service;
  readonly added: number;
  readonly kept: number;
  readonly setup: Units | null;
}

function comparativeLines(numbers: readonly PhoneNumber[], range: DateRange): ComparativeLine[] {
  const bases = Object.values(baseServices);
  const lines: ComparativeLine[] = [...bases, ...extraServices].map((service) => {
    const charged = numbers.filter((number) => recurring(number).includes(service));
    const added = charged.filter((number) => isNew(number, range)).length;
    const base = bases.find((candidate) => candidate === service);
    const setup = base === undefined || added === 0 ? null : added * base.setup;
    return { service, added, kept: charged.length - added, setup };
  });
  return lines.filter((line) => line.added + line.kept > 0);
}

function comparativeJsonOf({ service, added, kept, setup }: ComparativeLine) {
  return {
    type: 'comparative',
    name: service.name,
    alias: service.alias,
    new_this_month: {
      quantity: added,
      mrc: decimal(added * service.rate, service.digits),
      otc: setup === null ? null : decimal(setup),
    },
    // Numbers that are not new have no one-time charge: the key is absent.
    existing_this_month: { quantity: kept, mrc: decimal(kept * service.rate, service.digits) },
  };
}

function usageLines(random: Random, range: DateRange) {
  return usageItems.map((item) => {
    const quantity = random.int(0, item.perDay * range.days);
    return { item, quantity, amount: quantity * item.rate };
  });
}

function adjustmentLines(random: Random, range: DateRange) {
  return Array.from({ length: random.int(3, 6) }, (_, at) => ({
    amount: at === 0 ? -150_000 : random.pick(adjustmentAmounts),
    description: `${random.pick(reasons)}, reference ${random.digits(6)}`,
    event_date: dateWithin(range, random.int(0, range.days - 1)),
  }));
}

/** GET /charges_summary: each total is the exact sum of its lines; negative adjustments are credits, others the ledger's. */
export function chargesSummary(query: Query) {
  const range = dateRange(query, 'required');
  const numbers = numbersIn(range);
  const random = new Random(`charges:${range.start}:${range.end}`);
  const services = comparativeLines(numbers, range);
  // Before its first number the account had no bill: a report of empty lists and zeros.
  const used = numbers.length > 0 ? usageLines(random, range) : [];
  const adjusted = numbers.length > 0 ? adjustmentLines(random, range) : [];
  const amounts = adjusted.map((line) => line.amount);
  const totals = {
    new_mrc: sum(services.map((line) => line.added * line.service.rate)),
    new_otc: sum(services.map((line) => line.setup ?? 0)),
    existing_mrc: sum(services.map((line) => line.kept * line.service.rate)),
    other: sum(used.map((line) => line.amount)),
    credits: sum(amounts.filter((amount) => amount < 0)),
    ledger_adjustments: sum(amounts.filter((amount) => amount >= 0)),
  };
  return {
    data: {
      user_id: userId,
      start_date: range.start,
      end_date: range.end,
      user_email: userEmail,
      currency,
      summary: {
        lines: [
          ...services.map(comparativeJsonOf),
          ...used.map(({ item, quantity, amount }) => ({
            type: 'simple',
            name: item.name,
            alias: item.alias,
            quantity,
            amount: decimal(amount),
          })),
        ],
        adjustments: adjusted.map((line) => ({ ...line, amount: decimal(line.amount) })),
      },
      total: {
        new_mrc: decimal(totals.new_mrc),
        new_otc: decimal(totals.new_otc),
        existing_mrc: decimal(totals.existing_mrc),
        other: decimal(totals.other),
        credits: decimal(totals.credits),
        ledger_adjustments: decimal(totals.ledger_adjustments),
        grand_total: decimal(sum(Object.values(totals))),
      },
    },
  };
}

export const route: Route = { path: '/charges_summary', billing: true, read: chargesSummary };
