import * as records from '../../../support/records.ts';
import type { JsonRecord } from '../../../support/records.ts';

/** Money as a whole number of hundredths of a cent. */
export function moneyOf(units: number): string {
  const digits = String(Math.abs(units)).padStart(5, '0');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
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
  readonly #changes: Change[] = [];

  constructor(account: number, numbers: number) {
    this.#account = account;
    this.#numbers = numbers;
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
    const within = this.#changes.filter((each) => each.month === month && each.from >= from && each.from <= to);
    return [this.countAt(from - 1, month), ...within.map(({ count }) => count)];
  }

  /** The summary of a period when its month had changed so often. */
  summary(start: string, end: string, count: number): JsonRecord {
    const { total, ...rest } = records.chargesSummaryRecord(this.#head(start, end));
    const grandTotal = moneyOf(90 * seedOf(this.#account, start) + count * 100);
    return { ...rest, total: { ...(total as JsonRecord), other: moneyOf(count), grand_total: grandTotal } };
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
      ],
    }));
    return { ...this.#head(start, end), currency: 'USD', results };
  }

  #head(start: string, end: string): JsonRecord {
    const mail = `account${this.#account}@billing.example.com`;
    return { user_id: `user-${this.#account}`, start_date: start, end_date: end, user_email: mail };
  }
}

function seedOf(account: number, start: string): number {
  let seed = 17 + account;
  for (const character of start) seed = (seed * 31 + character.charCodeAt(0)) % 1_000_003;
  return seed;
}
