import { badParameter } from './errors.ts';
import { everyNth, rowsOf, value } from './list.ts';
import { Random } from './random.ts';
import { accounts, timestamp, userId, type Query, type Route, type World } from './world.ts';

const userEmail = 'billing@example.com';

/** An amount of money in 1/10000 of the currency: an integer, so that sums are exact. */
export type Units = number;

/** The decimal string of an amount, with at least `digits` decimals and as many more as it needs: 125000 is "12.50". */
export function decimal(units: Units, digits = 2): string {
  const text = String(Math.abs(units)).padStart(5, '0');
  const fraction = text.slice(-4);
  const needed = fraction.replace(/0+$/, '').length;
  return `${units < 0 ? '-' : ''}${text.slice(0, -4)}.${fraction.slice(0, Math.max(digits, needed))}`;
}

export function sum(amounts: readonly Units[]): Units {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** A period of whole days: `start` included, `end` not; both YYYY-MM-DD. */
export interface DateRange {
  readonly start: string;
  readonly end: string;
  /** The end of what is billed by now, today included: not after `start` where the period has not begun. */
  readonly billedEnd: string;
}

function dateIn(query: Query, name: string): Temporal.PlainDate | undefined {
  const text = value(query, name);
  if (text === undefined) return undefined;
  // A day that does not exist is written as another one, or as null; one month after 9998 still has four digits.
  const exists = JSON.stringify(new Date(text)).startsWith(`"${text}T`);
  if (!exists || !/^\d{4}-/.test(text) || text >= '9999')
    throw badParameter(name, 'The value must be a date of the form YYYY-MM-DD.');
  return Temporal.PlainDate.from(text);
}

function required(name: string): never {
  throw badParameter(name, `The parameter ${name} is required.`);
}

/** The period of a billing report; 400 naming the parameter when a rule of the contract is broken. */
export function dateRange(query: Query, endDate: 'required' | 'defaults to a month', { now }: World): DateRange {
  const start = dateIn(query, 'start_date') ?? required('start_date');
  const given = dateIn(query, 'end_date');
  const end = given ?? (endDate === 'required' ? required('end_date') : start.add({ months: 1 }));
  const { days } = start.until(end);
  if (days <= 0) throw badParameter('end_date', 'The end date must be after the start date.');
  if (days > 31) throw badParameter('end_date', 'The date range cannot exceed 31 days.');
  const tomorrow = dateAfter(timestamp(now).slice(0, 'YYYY-MM-DD'.length), 1);
  const [first, last] = [start.toString(), end.toString()];
  return { start: first, end: last, billedEnd: last < tomorrow ? last : tomorrow };
}

export function reportHead({ start, end }: DateRange) {
  return { user_id: userId, start_date: start, end_date: end, user_email: userEmail, currency: 'USD' };
}

export function dateAfter(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** A calendar month, with the days of it that a period bills: those numbered from `from` until before `until`, the first is 0. */
export interface MonthPart {
  readonly start: string;
  readonly end: string;
  readonly days: number;
  readonly from: number;
  readonly until: number;
}

/** The months of which a period bills a day, so that a bill is the sum of its parts wherever these are cut. */
export function monthsIn({ start, billedEnd }: DateRange): MonthPart[] {
  const parts: MonthPart[] = [];
  for (let from = Temporal.PlainDate.from(start); from.toString() < billedEnd;) {
    const first = from.with({ day: 1 });
    const next = first.add({ months: 1 });
    const days = first.daysInMonth;
    const until = Math.min(first.until(billedEnd).days, days);
    parts.push({ start: first.toString(), end: next.toString(), days, from: from.day - 1, until });
    from = next;
  }
  return parts;
}

/** A recurring service of a phone number; `share` is how many of the numbers have it, and `setup` is charged once, if at all. */
export interface Service {
  readonly name: string;
  readonly alias: string;
  readonly rate: Units;
  readonly digits: number;
  readonly share: number;
  readonly setup: Units | null;
}

/** The base services of numbers, by their charge types; `setup` is charged in the month of activation. */
export const baseServices = {
  local: { name: 'Local number', alias: 'local_number', rate: 10_000, digits: 2, share: 1, setup: 10_000 },
  toll_free: { name: 'Toll-free number', alias: 'toll_free_number', rate: 20_000, digits: 2, share: 1, setup: 25_000 },
  mobile: { name: 'Mobile number', alias: 'mobile_number', rate: 35_000, digits: 1, share: 1, setup: 35_000 },
  national: { name: 'National number', alias: 'national_number', rate: 12_500, digits: 2, share: 1, setup: 55_555 },
} satisfies Record<string, Service>;

/** Services that a number can have beside its base service; their names have commas and quotes, to test the CSV form. */
export const extraServices: readonly Service[] = [
  { name: 'Emergency services, US & Canada', alias: 'emergency', rate: 15_000, digits: 2, share: 0.3, setup: null },
  { name: 'Caller name ("CNAM") storage', alias: 'cnam', rate: 40, digits: 4, share: 0.5, setup: null },
  { name: 'Messaging capability', alias: 'messaging', rate: 1000, digits: 4, share: 0.4, setup: null },
  { name: 'Inbound fax', alias: 'fax', rate: 7250, digits: 2, share: 0.1, setup: null },
];

const numberCount = accounts.large.numbers;
/** So many numbers were active before 2025; the others came one by one until the end of October 2026. */
const oldCount = 1500;
const chargeTypes = ['local', 'local', 'local', 'toll_free', 'mobile', 'national'] as const;
const owners = [
  { id: userId, email: userEmail },
  ...['sales', 'support', 'emea', 'apac', 'o-brien+lab'].map((name, index) => ({
    id: new Random(`owner:${index}`).uuid(),
    email: `${name}@example.com`,
  })),
];

function activationOf(random: Random, index: number): string {
  const days =
    index < oldCount ? random.int(0, 730) : 731 + Math.floor(((index - oldCount) * 669) / (numberCount - oldCount));
  return dateAfter('2023-01-01', days);
}

function build(index: number) {
  const random = new Random(`phone-number:${index}`);
  const chargeType = random.pick(chargeTypes);
  const base = baseServices[chargeType];
  const extras = extraServices.filter((service) => random.chance(service.share));
  const activatedOn = activationOf(random, index);
  // A number under a regulatory hold is listed but not charged.
  const isHeld = random.chance(0.005);
  return {
    // The index stands in the number, so that no two are equal.
    tn: `+1555${2_000_000 + index * 1237}`,
    activatedOn,
    /** Those that it is charged for each month. */
    services: isHeld ? [] : [base, ...extras],
    setup: base.setup,
    chargeType: random.orNull(0.01, chargeType),
    owner: random.orNull(0.01, random.pick(owners)),
    isOwnerEmailKnown: !random.chance(0.03),
  };
}

type PhoneNumber = ReturnType<typeof build>;

const phoneNumbers = rowsOf(numberCount, build);

export interface NumberCharges {
  readonly number: PhoneNumber;
  /** Whether it was activated in the period: that day it is charged for the first month, and for its setup. */
  readonly isNew: boolean;
  /** How often it is charged at the start of a later month. */
  readonly renewals: number;
}

export function numbersOf({ account }: World): PhoneNumber[] {
  return everyNth(phoneNumbers(), account.numbers);
}

/** The numbers of an account that were charged in a period by now. */
export function chargesIn(range: DateRange, world: World): NumberCharges[] {
  const starts = monthsIn(range)
    .filter(({ from }) => from === 0)
    .map(({ start }) => start);
  return numbersOf(world)
    .map((number) => ({
      number,
      isNew: range.start <= number.activatedOn && number.activatedOn < range.billedEnd,
      renewals: starts.filter((start) => number.activatedOn < start).length,
    }))
    .filter(({ isNew, renewals }) => isNew || renewals > 0);
}

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

export const route: Route = { path: '/charges_breakdown', read: chargesBreakdown };
