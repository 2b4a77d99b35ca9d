import { hash } from 'node:crypto';
import { momentOf, momentOfDigits, type Moment } from '../moment.ts';
import {
  advance,
  compareStarts,
  deliveryMarkLength,
  type Deliveries,
  type Delivery,
  type DeliveryMark,
  type DeliveryWindow,
} from './delivery-window.ts';
import { Arrivals } from './arrivals.ts';
import type { ArrivedEvent, EventId } from './stream.ts';

/** Deliveries that the id of an event remembers: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 250;

/** The position of a reader before anything has been read. */
const nowhere: EventId = () => '';

/** Gives the deliveries of one list their ids. */
export class EventIds {
  readonly #list: string;
  readonly #overlapMs: number;
  readonly #known = new WeakMap<DeliveryWindow, EventId>();

  /** `list` names the list by its endpoint and filter. */
  constructor(list: string, overlapMs: number) {
    this.#list = list;
    this.#overlapMs = overlapMs;
  }

  /** Deliveries that are new to readers with this window, the oldest first. Their ids are made on demand. */
  arrivals(before: DeliveryWindow, fresh: Deliveries, now: Moment): Arrivals {
    const known = once(() => ({ ...before, seen: new Map(newestOf(before)) }));
    const windowAfter = (index: number): DeliveryWindow => {
      // No more than an id remembers: there may be thousands before it.
      const arrived = fresh.slice(Math.max(0, index + 1 - deliveryMarks), index + 1);
      return advance(known(), arrived, this.#overlapMs, now, false).window;
    };
    const eventOf = ({ record: delivery }: Delivery, index: number): ArrivedEvent => {
      const eventId = once(() => encodeEventId(this.#list, windowAfter(index)));
      return {
        delivery,
        eventId,
        get cursor() {
          return eventId();
        },
      };
    };
    const weight = fresh.reduce((sum, delivery) => sum + delivery.weight, 0);
    return new Arrivals(fresh.map(eventOf), weight);
  }

  /** The id of a reader with this window, the same one each time; of null before anything has been read. */
  of(window: DeliveryWindow | null): EventId {
    if (window === null) return nowhere;
    return this.#known.getOrInsertComputed(window, () => once(() => encodeEventId(this.#list, window)));
  }
}

/** Makes a value on demand, and forgets `make` then: a stream holds the id of its last event for hours. */
function once<Made>(make: () => Made): () => Made {
  let state: { readonly make: () => Made } | { readonly made: Made } = { make };
  return () => {
    if ('make' in state) state = { made: state.make() };
    return state.made;
  };
}

const checkLength = 8;
const form = new RegExp(
  String.raw`^1\.(\d{14,23})?\.((?:[\w-]{${deliveryMarkLength}}){0,${deliveryMarks}})\.([\w-]{${checkLength}})$`,
);
const eachMark = new RegExp(`.{${deliveryMarkLength}}`, 'g');

/**
 * The id of an event (HTML, "Server-sent events"): the newest moment of a window, and the newest `deliveryMarks` of what was seen.
 * Its check ties it to the list: endpoint and filter. It is no secret.
 */
export function encodeEventId(list: string, window: DeliveryWindow): string {
  const { newest } = window;
  const marks = newestOf(window).map(([mark]) => mark);
  const body = `1.${newest?.replaceAll(/\D/g, '') ?? ''}.${marks.join('')}`;
  return `${body}.${check(list, body)}`;
}

/** The window of the reader of an event of `list`, without the moments of what was seen; null for any other text. */
export function decodeEventId(list: string, eventId: string): DeliveryWindow | null {
  const [, digits, marks = '', given] = form.exec(eventId) ?? [];
  if (given === undefined || given !== check(list, eventId.slice(0, -1 - checkLength))) return null;
  // Anybody can make an id with a valid check and any digits, those of a leap second too.
  const newest = digits === undefined ? null : momentOf(momentOfDigits(digits));
  if (digits !== undefined && newest === null) return null;
  return { newest, seen: new Map(marks.match(eachMark)?.map((mark) => [mark, null])) };
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}

/** What an id remembers of a window, the newest first. */
function newestOf({ seen }: DeliveryWindow): readonly (readonly [DeliveryMark, Moment | null])[] {
  return [...seen].sort(([, left], [, right]) => compareStarts(right, left)).slice(0, deliveryMarks);
}
