import { deliveryMarks } from '../bounds.ts';
import { hash } from 'node:crypto';
import { timestampOf, type Moment } from '../paging/moment.ts';
import { beginningOf } from './delivery-window.ts';

/** Names a delivery in a few characters: 48 bits of a hash of its identity. */
export type DeliveryMark = string;

/** What the reader of a stream has seen of the newest end of a list, short enough for a header. */
export interface SeenDeliveries {
  /** When the newest of them began; null where there was none. */
  readonly newest: Moment | null;
  /** Those within the overlap before it: at most `deliveryMarks`, the newest ones. What is not among them may come again. */
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
  return { newest, marks: marks.match(eachMark) ?? [] };
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}
