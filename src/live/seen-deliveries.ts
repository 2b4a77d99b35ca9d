import { hash } from 'node:crypto';
import { deliveryMarks } from '../bounds.ts';
import { digitsOf, momentOfDigits, type Moment } from '../paging/moment.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import {
  advance,
  beginningOf,
  emptyWindow,
  deliveryIdentityOf,
  isBefore,
  laterOf,
  watermarkOf,
  type DeliveryRows,
  type DeliveryWindow,
} from './delivery-window.ts';

/** Names a delivery in a few characters: 48 bits of a hash of its identity. */
export type DeliveryMark = string;

/** The deliveries at the newest end of a list that the reader of a stream has seen, short enough for a header. */
export interface SeenDeliveries {
  /** When the newest of them began; null where there was none. */
  readonly newest: Moment | null;
  /** The deliveries within the overlap before that, at most `deliveryMarks` of the newest. Others may be sent again. */
  readonly marks: readonly DeliveryMark[];
}

const deliveryMarkLength = 8;
const checkLength = 8;
const form = new RegExp(
  String.raw`^1\.(\d{14,23})?\.((?:[\w-]{${deliveryMarkLength}}){0,${deliveryMarks}})\.([\w-]{${checkLength}})$`,
);
const eachMark = new RegExp(`.{${deliveryMarkLength}}`, 'g');

/** The mark of a delivery by its identity. */
export function deliveryMarkOf(identity: string): DeliveryMark {
  return hash('sha256', identity, 'base64url').slice(0, deliveryMarkLength);
}

/** The id of an event (HTML, "Server-sent events"). Its check ties it to the list: endpoint and filter. It is no secret. */
export function encodeEventId(list: string, { newest, marks }: SeenDeliveries): string {
  const body = `1.${newest === null ? '' : digitsOf(newest)}.${marks.join('')}`;
  return `${body}.${check(list, body)}`;
}

/** The deliveries that the reader of an event of `list` had seen; null for any other text. */
export function decodeEventId(list: string, eventId: string): SeenDeliveries | null {
  const [, digits, marks = '', given] = form.exec(eventId) ?? [];
  if (given === undefined || given !== check(list, eventId.slice(0, -1 - checkLength))) return null;
  const newest = digits === undefined ? null : momentOfDigits(digits);
  // Anybody can make an id with a valid check and any digits.
  if (newest !== null && beginningOf({ started_at: newest }) === null) return null;
  return { newest, marks: marks.match(eachMark) ?? [] };
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}

/** A delivery as an event id has it. */
interface Seen {
  readonly moment: Moment | null;
  readonly mark: DeliveryMark;
}

/**
 * Makes the seen deliveries after each of some deliveries, which are new to a reader with this window, the oldest first; index -1
 * is before the first of them. The work is done on demand, and is bounded by the number of marks.
 */
export function trailOf(
  { newest, seen }: DeliveryWindow,
  fresh: readonly WebhookDeliveryRecord[],
  overlapMs: number,
  now: Moment,
): (index: number) => SeenDeliveries {
  const freshAt = seenAt(fresh);
  let before: readonly Seen[] | undefined;
  let lastPast: number | undefined;

  function earlier(): readonly Seen[] {
    const dated = [...seen].map(([id, moment]) => ({ id, moment }));
    const kept = dated.sort((a, b) => newestFirst(a.moment, b.moment)).slice(0, deliveryMarks);
    return kept.map(({ id, moment }) => ({ moment, mark: deliveryMarkOf(id) }));
  }

  /** Deliveries without a moment come last, behind those from the future. */
  function newestAt(index: number): Moment | null {
    lastPast ??= fresh.findLastIndex((row) => isPast(beginningOf(row), now));
    const last = Math.min(index, lastPast);
    return last < 0 ? newest : laterOf(newest, freshAt(last).moment);
  }

  return (index) => {
    before ??= earlier();
    const until = newestAt(index);
    const watermark = watermarkOf({ newest: until }, overlapMs);
    const marks: DeliveryMark[] = [];
    for (let [old, at] = [0, index]; marks.length < deliveryMarks && (old < before.length || at >= 0);) {
      const isOld = at < 0 || (old < before.length && newestFirst(before[old]!.moment, freshAt(at).moment) <= 0);
      const next = isOld ? before[old++]! : freshAt(at--);
      if (isBefore(next.moment, watermark)) break;
      marks.push(next.mark);
    }
    return { newest: until, marks };
  };
}

/** The deliveries that a returning reader has missed, the oldest first, and the window of those the reader had seen. */
export interface Missed {
  readonly window: DeliveryWindow;
  readonly missed: readonly WebhookDeliveryRecord[];
}

/** Finds the deliveries that readers have missed among rows read since the earliest watermark. The rows are sorted once for all. */
export function missedIn(rows: DeliveryRows, overlapMs: number, now: Moment): (seen: SeenDeliveries) => Missed {
  const { fresh } = advance(emptyWindow, rows, overlapMs, now);
  const rowAt = seenAt(fresh);
  return ({ newest, marks }) => {
    const known = new Set(marks);
    const watermark = watermarkOf({ newest }, overlapMs);
    const from = fresh.findIndex((_row, index) => !isBefore(rowAt(index).moment, watermark));
    const seen = new Map<string, Moment | null>();
    const missed = fresh.slice(from < 0 ? fresh.length : from).filter((row, index) => {
      const { mark, moment } = rowAt(from + index);
      if (!known.has(mark)) return true;
      seen.set(deliveryIdentityOf(row), moment);
      return false;
    });
    return { window: { newest, seen }, missed };
  };
}

function isPast(moment: Moment | null, now: Moment): boolean {
  return moment !== null && !isBefore(now, moment);
}

/** The moment and mark of each delivery, made on demand and once. */
function seenAt(rows: readonly WebhookDeliveryRecord[]): (index: number) => Seen {
  const made: (Seen | undefined)[] = [];
  return (index) => {
    const row = rows[index] as WebhookDeliveryRecord;
    return (made[index] ??= { moment: beginningOf(row), mark: deliveryMarkOf(deliveryIdentityOf(row)) });
  };
}

/** Newest first; moments that are null come before all, since those deliveries are remembered for as long as they are read. */
function newestFirst(left: Moment | null, right: Moment | null): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  if (left === right) return 0;
  return isBefore(left, right) ? 1 : -1;
}
