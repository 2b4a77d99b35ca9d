import { userEmail, userId } from './account.ts';
import type { DateRange } from './date-range.ts';
import { Random } from './random.ts';
import { Rows } from './rows.ts';
import { baseServices, extraServices, type Service } from './service.ts';

const numberCount = 1800;
/** So many numbers were active before 2025; the others came one by one until the end of October 2026. */
const oldCount = 1500;
const chargeTypes = ['local', 'local', 'local', 'toll_free', 'mobile', 'national'];
const millisPerDay = 86_400_000;
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
  return new Date(Date.UTC(2023, 0, 1) + days * millisPerDay).toISOString().slice(0, 10);
}

// The index stands in the number, so that no two are equal.
function tnOf(index: number): string {
  return `+1555${String(2_000_000 + index * 1237)}`;
}

function build(index: number) {
  const random = new Random(`phone-number:${index}`);
  const chargeType = random.pick(chargeTypes);
  const extras: Service[] = extraServices.filter((service) => random.chance(service.share));
  return {
    tn: tnOf(index),
    chargeType,
    base: baseServices[chargeType],
    extras,
    activatedOn: activationOf(random, index),
    // A number under a regulatory hold is listed but not charged.
    held: random.chance(0.005),
    labelled: !random.chance(0.01),
    owner: random.orNull(0.01, random.pick(owners)),
    ownerEmailKnown: !random.chance(0.03),
  };
}

/** A number of the billing account with what it is charged for. */
export type PhoneNumber = ReturnType<typeof build>;

const phoneNumbers = new Rows(numberCount, tnOf, build);

/** The numbers that were active on some day of the period. */
export function numbersIn(range: DateRange): PhoneNumber[] {
  return phoneNumbers.all().filter((number) => number.activatedOn < range.end);
}

/** True when the number was activated within the period, so that its one-time charge falls into it. */
export function isNew(number: PhoneNumber, range: DateRange): boolean {
  return number.activatedOn >= range.start;
}

/** The recurring services of a number, its base service first; none while it is held. */
export function recurring(number: PhoneNumber): Service[] {
  return number.held || number.base === undefined ? [] : [number.base, ...number.extras];
}
