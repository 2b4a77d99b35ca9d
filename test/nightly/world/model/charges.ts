import type { JsonRecord } from '../../../support/records.ts';

/** Money as a whole number of hundredths of a cent. */
export function moneyOf(units: number): string {
  const sign = units < 0 ? '-' : '';
  const digits = String(Math.abs(units)).padStart(5, '0');
  return `${sign}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

/** Hundredths of a cent of a decimal text with up to four places. */
export function unitsOf(text: string): number {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const units = Number(whole) * 10_000 + Number(fraction.padEnd(4, '0'));
  return sign === '-' ? -units : units;
}

/** How often the charges of a month have changed, from a moment on. */
interface Change {
  readonly from: number;
  readonly month: string;
  readonly count: number;
}

/** What an account is charged; it grows, and remembers what it was. */
export class ChargesLog {
  readonly #account: number;
  readonly #numbers: number;
  readonly #begun: number;
  #changes: Change[] = [];

  constructor(account: number, numbers: number, now: number) {
    this.#account = account;
    this.#numbers = numbers;
    this.#begun = now;
  }

  /** Charges more for a month, `YYYY-MM`. */
  grow(now: number, month: string): void {
    this.#changes.push({ from: now, month, count: this.countAt(now, month) + 1 });
  }

  countAt(now: number, month: string): number {
    return this.#changes.findLast((change) => change.month === month && change.from <= now)?.count ?? 0;
  }

  /** All counts that a month had within a span, its ends included. */
  countsBetween(from: number, to: number, month: string): readonly number[] {
    const before = this.countAt(Math.max(from - 1, this.#begun), month);
    const within = this.#changes.filter((each) => each.month === month && each.from >= from && each.from <= to);
    return [before, ...within.map(({ count }) => count)];
  }

  /** The summary of a period when its month had changed so often. */
  summary(start: string, end: string, count: number): JsonRecord {
    const seed = seedOf(this.#account, start);
    const part = (salt: number, span: number): number => (seed * (salt + 7)) % span;
    const month = (salt: number): JsonRecord => ({
      quantity: part(salt, 40),
      mrc: moneyOf(part(salt + 1, 3_000_000)),
      otc: part(salt, 3) === 0 ? null : moneyOf(part(salt + 2, 90_000)),
    });
    const lines = ['phone_numbers', 'sip', 'storage', 'lookups'].slice(part(9, 2)).map((alias, index) =>
      index % 2 === 0
        ? {
            type: 'comparative',
            name: `Name of ${alias}`,
            alias,
            new_this_month: month(index),
            existing_this_month: month(index + 20),
          }
        : {
            type: 'simple',
            name: `Name of ${alias}`,
            alias,
            quantity: count,
            amount: moneyOf(part(index, 999_999) + count * 100),
          },
    );
    const total = part(5, 90_000_000) + count * 100;
    return {
      ...this.#head(start, end),
      summary: {
        lines,
        adjustments: [{ amount: moneyOf(-part(4, 70_000)), description: 'Service credit', event_date: start }],
      },
      total: {
        new_mrc: '12.00',
        new_otc: '1.50',
        existing_mrc: '230.00',
        other: moneyOf(count),
        credits: '-5.00',
        ledger_adjustments: '0.00',
        grand_total: moneyOf(total),
      },
    };
  }

  /** The breakdown of a period when its month had changed so often. */
  breakdown(start: string, end: string, count: number): JsonRecord {
    const seed = seedOf(this.#account, start);
    const results = Array.from({ length: this.#numbers }, (_, index) => ({
      tn: `+1312${String((seed * (index + 3)) % 10_000_000).padStart(7, '0')}`,
      charge_type: index % 4 === 0 ? 'toll_free' : 'local',
      service_owner_user_id: `owner-${index % 3}`,
      service_owner_email: `account${this.#account}@owner${index % 3}.example.com`,
      services: [
        {
          cost_type: 'MRC',
          name: 'Local Number',
          cost: moneyOf(((seed + index) % 30_000) + (index === 0 ? count : 0)),
        },
        ...(index % 5 === 0 ? [{ cost_type: 'OTC', name: 'Setup', cost: '0.50' }] : []),
      ],
    }));
    return { ...this.#head(start, end), results };
  }

  #head(start: string, end: string): JsonRecord {
    const mail = `account${this.#account}@billing.example.com`;
    return { user_id: `user-${this.#account}`, start_date: start, end_date: end, user_email: mail, currency: 'USD' };
  }
}

/** A breakdown as the API writes it as CSV. */
export function csvOf({ results }: JsonRecord): string {
  const rows = (results as readonly JsonRecord[]).flatMap(({ tn, service_owner_email, services }) =>
    (services as readonly JsonRecord[]).map(
      ({ cost_type, cost }) => `${String(tn)},${String(service_owner_email)},${String(cost_type)},${String(cost)}`,
    ),
  );
  return ['tn,owner,cost_type,cost', ...rows, ''].join('\r\n');
}

function seedOf(account: number, start: string): number {
  let seed = 17 + account;
  for (const character of start) seed = (seed * 31 + character.charCodeAt(0)) % 1_000_003;
  return seed;
}
