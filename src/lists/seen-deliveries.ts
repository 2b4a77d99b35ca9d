import { hash } from 'node:crypto';
import { timestampOf, type Moment } from '../paging/moment.ts';
import type { WebhookDeliveryRecord } from '../upstream/operations/webhook-delivery.ts';
import { advance, beginningOf, identityOf, isBefore, laterOf, watermarkOf } from './delivery-window.ts';
import type { DeliveryRows, DeliveryWindow } from './delivery-window.ts';

/** Names a delivery in a few characters: 48 bits of a hash of its identity. */
type Mark = string;

/** What the reader of a stream has seen of the newest end of a list, short enough for a header. */
export interface SeenDeliveries {
  /** When the newest of them began; null where there was none. */
  readonly newest: Moment | null;
  /** Those within the overlap before it: at most 250, the newest ones. What is not among them may come again. */
  readonly marks: readonly Mark[];
}

const markLength = 8;
const checkLength = 8;
const mostMarks = 250;
const form = /^1\.(\d{14,23})?\.((?:[\w-]{8}){0,250})\.([\w-]{8})$/;

/** The id of an event (HTML, "Server-sent events"), tied by its check to the list: its operation and filter. No secret. */
export function encodeEventId(list: string, { newest, marks }: SeenDeliveries): string {
  const body = `1.${newest ?? ''}.${marks.join('')}`;
  return `${body}.${check(list, body)}`;
}

/** What the reader of an event of `list` had seen; null for any other text. */
export function decodeEventId(list: string, eventId: string): SeenDeliveries | null {
  const [, newest = null, marks = '', told] = form.exec(eventId) ?? [];
  if (told === undefined || told !== check(list, eventId.slice(0, -1 - checkLength))) return null;
  // The check is no secret: anybody can make an id of any digits.
  if (newest !== null && beginningOf({ started_at: timestampOf(newest) }) === null) return null;
  return { newest, marks: marks.match(/.{8}/g) ?? [] };
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}

function markOf(identity: string): Mark {
  return hash('sha256', identity, 'base64url').slice(0, markLength);
}

interface Seen {
  readonly moment: Moment | null;
  readonly mark: Mark;
}

/**
 * Tells what has been seen after each of some deliveries, which are oldest first and new to a reader with this window; -1 is
 * before the first of them. Costs nothing until it is asked, and then no more than there are marks.
 */
export function trailOf(
  { newest, seen }: DeliveryWindow,
  fresh: readonly WebhookDeliveryRecord[],
  overlapMs: number,
): (index: number) => SeenDeliveries {
  let before: readonly Seen[] | undefined;
  const own: (Seen | undefined)[] = [];

  function earlier(): readonly Seen[] {
    const dated = [...seen].map(([id, moment]) => ({ id, moment }));
    const kept = dated.sort((a, b) => newestFirst(a.moment, b.moment)).slice(0, mostMarks);
    return kept.map(({ id, moment }) => ({ moment, mark: markOf(id) }));
  }

  function freshAt(index: number): Seen {
    const row = fresh[index] as WebhookDeliveryRecord;
    return (own[index] ??= { moment: beginningOf(row), mark: markOf(identityOf(row)) });
  }

  return (index) => {
    before ??= earlier();
    const until = index < 0 ? newest : laterOf(newest, freshAt(index).moment);
    const watermark = watermarkOf({ newest: until, seen: new Map() }, overlapMs);
    const marks: Mark[] = [];
    for (let [old, at] = [0, index]; marks.length < mostMarks && (old < before.length || at >= 0);) {
      const isOld = at < 0 || (old < before.length && newestFirst(before[old]!.moment, freshAt(at).moment) <= 0);
      const next = isOld ? before[old++]! : freshAt(at--);
      if (isBefore(next.moment, watermark)) break;
      marks.push(next.mark);
    }
    return { newest: until, marks };
  };
}

/** What a reader who comes back has missed, the oldest first, of all that was read since the watermark of what they had seen. */
export function missedBy(
  { newest, marks }: SeenDeliveries,
  rows: DeliveryRows,
  overlapMs: number,
): { readonly window: DeliveryWindow; readonly missed: readonly WebhookDeliveryRecord[] } {
  const known = new Set(marks);
  const { fresh } = advance({ newest, seen: new Map() }, rows, overlapMs);
  const isKnown = (row: WebhookDeliveryRecord): boolean => known.has(markOf(identityOf(row)));
  const seen = new Map(fresh.filter(isKnown).map((row) => [identityOf(row), beginningOf(row)]));
  return { window: { newest, seen }, missed: fresh.filter((row) => !isKnown(row)) };
}

/** Those without a moment first: they are remembered for as long as they are read. */
function newestFirst(left: Moment | null, right: Moment | null): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  if (left === right) return 0;
  return isBefore(left, right) ? 1 : -1;
}
