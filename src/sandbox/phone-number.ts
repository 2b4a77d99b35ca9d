import { USER_EMAIL, USER_ID } from './account.ts';
import type { DateRange } from './date-range.ts';
import { Random } from './random.ts';
import { Rows } from './rows.ts';
import { BASE_SERVICES, EXTRA_SERVICES } from './service.ts';
import type { Service } from './service.ts';

const COUNT = 1800;
/** This many numbers were active before 2025; the others came one by one until the end of October 2026. */
const OLD = 1500;
const TYPES = ['local', 'local', 'local', 'toll_free', 'mobile', 'national'];
const DAY_MILLIS = 86_400_000;
const OWNERS = [
  { id: USER_ID, email: USER_EMAIL },
  ...['sales', 'support', 'emea', 'apac', 'o-brien+lab'].map((name, index) => ({
    id: new Random(`owner:${index}`).uuid(),
    email: `${name}@example.com`,
  })),
];

const activation = (random: Random, index: number): string => {
  const days = index < OLD ? random.int(0, 730) : 731 + Math.floor(((index - OLD) * 669) / (COUNT - OLD));
  return new Date(Date.UTC(2023, 0, 1) + days * DAY_MILLIS).toISOString().slice(0, 10);
};

// The index stands in the number, so that no two are equal.
const tnOf = (index: number): string => `+1555${String(2_000_000 + index * 1237)}`;

const build = (index: number) => {
  const random = new Random(`phone-number:${index}`);
  const chargeType = random.pick(TYPES);
  const extras: Service[] = EXTRA_SERVICES.filter((service) => random.chance(service.share));
  return {
    tn: tnOf(index),
    chargeType,
    base: BASE_SERVICES[chargeType],
    extras,
    activatedOn: activation(random, index),
    // A number under a regulatory hold is listed but not charged.
    held: random.chance(0.005),
    labelled: !random.chance(0.01),
    owner: random.orNull(0.01, random.pick(OWNERS)),
    ownerEmailKnown: !random.chance(0.03),
  };
};

/** A number of the billing account with what it is charged for. */
export type PhoneNumber = ReturnType<typeof build>;

const phoneNumbers = new Rows(COUNT, tnOf, build);

/** The numbers that were active on some day of the period. */
export const numbersIn = (range: DateRange): PhoneNumber[] =>
  phoneNumbers.all().filter((number) => number.activatedOn < range.end);

/** True when the number was activated within the period, so that its one-time charge falls into it. */
export const isNew = (number: PhoneNumber, range: DateRange): boolean => number.activatedOn >= range.start;

/** The recurring services a number is charged for, its base service first; none while it is held. */
export const recurring = (number: PhoneNumber): Service[] =>
  number.held || number.base === undefined ? [] : [number.base, ...number.extras];
