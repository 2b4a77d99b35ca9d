import { deliveryMarks } from '../bounds.ts';
import { hash } from 'node:crypto';
import { digitsOf, momentOfDigits, type Moment } from '../paging/moment.ts';
import { beginningOf } from './delivery-window.ts';

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
