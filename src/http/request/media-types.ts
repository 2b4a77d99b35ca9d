import { MIMEType } from 'node:util';
import { LRUCache } from 'lru-cache';

/** Accept headers whose reading is remembered: clients send few different ones. */
const rememberedHeaders = 100;

/** Characters of an Accept header whose reading is remembered: a hostile client must not fill the memory. */
const rememberedAcceptLength = 200;

/** Media types of one Accept header that are considered. Browsers and clients send fewer than ten. */
const acceptRanges = 100;

/** The media types of a result that comes whole. */
export type WholeType = 'application/json' | 'application/graphql-response+json';
/** The media types of a result that comes in pieces or as events. */
export type StreamType = 'text/event-stream' | 'multipart/mixed';

/** The media types that a client takes, by its Accept header (RFC 9110, section 12.5.1). */
export interface Accepted {
  /** For a whole result: JSON, unless the client prefers a stream to it. Null where the client takes no type that there is. */
  readonly whole: WholeType | StreamType | null;
  /** For a result in pieces; null where the client wants it whole. */
  readonly pieces: StreamType | null;
  /** For the events of a subscription; null where the client takes none. In parts, only where it asks for parts of that form. */
  readonly events: StreamType | null;
  /** Whether the client wants a page for people. */
  readonly takesPage: boolean;
}

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
  /** Whether it names the form in which Apollo's clients take the events of a subscription. */
  readonly isForEvents: boolean;
  /** Whether it names no other form of pieces than that of 2022, which Yoga sends. */
  readonly isForPieces: boolean;
}

/** How much a client prefers one media type. */
interface Preference<Name extends string = string> {
  readonly name: Name;
  /** From 0, not wanted, to 1. */
  readonly weight: number;
  /** Of the range that decides: 2 names the type, 1 is `type/*`, 0 is `*\/*`; -1 where no range does. */
  readonly precision: number;
  /** Of that range in the header, counted from 0. */
  readonly position: number;
}

// The text between two commas. A comma in quotes separates nothing, and quotes may have no end.
const element = /(?:"[^"]*(?:"|$)|[^,"])+/g;
const anything: Range = { type: '*', subtype: '*', weight: 1, isForEvents: false, isForPieces: true };

const remembered = new LRUCache<string, Accepted>({ max: rememberedHeaders });

/** Reads an Accept header. Without one, or with an empty one, the client takes anything. */
export function readAccept(accept = ''): Accepted {
  const before = remembered.get(accept);
  if (before !== undefined) return before;
  const accepted = acceptedBy(accept);
  if (accept.length <= rememberedAcceptLength) remembered.set(accept, accepted);
  return accepted;
}

function acceptedBy(accept: string): Accepted {
  const ranges = rangesOf(accept);
  const json = mostPreferred([
    preferenceFor('application/json', ranges),
    preferenceFor('application/graphql-response+json', ranges),
  ]);
  const events = preferenceFor('text/event-stream', ranges);
  const partsFor = (isTaken: (range: Range) => boolean) => preferenceFor('multipart/mixed', ranges.filter(isTaken));
  const eventParts = partsFor(({ isForEvents }) => isForEvents);
  const pieces = [partsFor(({ isForPieces }) => isForPieces), events];
  const leastWeight = json?.weight ?? 0;
  // Clients that know nothing of pieces and pages send `*/*`.
  const isNamed = ({ weight, precision }: Preference): boolean =>
    precision === 2 && weight > 0 && weight >= leastWeight;
  // In parts of the form for events, a whole result is none: it comes so only to who takes nothing else.
  const whole =
    mostPreferred(pieces.filter(({ weight }) => weight > leastWeight)) ?? json ?? mostPreferred([eventParts]);
  return {
    whole: whole?.name ?? null,
    pieces: mostPreferred(pieces.filter(isNamed))?.name ?? null,
    events: mostPreferred<StreamType>([events, eventParts])?.name ?? null,
    takesPage: isNamed(preferenceFor('text/html', ranges)),
  };
}

/** Whether an Accept header takes a media type at all. */
export function takesType(accept: string | undefined, name: string): boolean {
  return preferenceFor(name, rangesOf(accept ?? '')).weight > 0;
}

/** The one of some media types that a client prefers; the first of them where it prefers none, or takes none. */
export function preferredType<Name extends string>(
  accept: string | undefined,
  names: readonly [Name, ...Name[]],
): Name {
  const ranges = rangesOf(accept ?? '');
  return mostPreferred(names.map((name) => preferenceFor(name, ranges)))?.name ?? names[0];
}

function rangesOf(accept: string): readonly Range[] {
  if (accept.trim() === '') return [anything];
  return [...accept.matchAll(element).take(acceptRanges)].flatMap(([text]) => {
    const mediaType = mediaTypeOf(text);
    // Every response is in UTF-8. Other parameters of a type do not matter.
    if (mediaType === null || !isUtf8Name(mediaType.params.get('charset'))) return [];
    const { type, subtype, params } = mediaType;
    const isForEvents = params.get('subscriptionspec') === '1.0';
    const isForPieces = params.get('deferspec') === '20220824' || params.keys().every((name) => !name.endsWith('spec'));
    return [{ type, subtype, weight: weightOf(params.get('q')), isForEvents, isForPieces }];
  });
}

/** Parses a media type, or a range of them; null where it is none. */
export function mediaTypeOf(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null;
  }
}

/** Whether a charset parameter names UTF-8. A missing one does too. */
export function isUtf8Name(charset: string | null | undefined): boolean {
  return charset == null || /^utf-?8$/i.test(charset);
}

/** Reads a weight, from 0 to 1. A missing weight is 1, and so is one that is none. */
function weightOf(text: string | null): number {
  const weight = Number(text || 1);
  return weight >= 0 && weight <= 1 ? weight : 1;
}

/** Finds the preference for a type. The most precise range decides; of equally precise ranges, the greatest weight. */
function preferenceFor<Name extends string>(name: Name, ranges: readonly Range[]): Preference<Name> {
  const [ownType, ownSubtype] = name.split('/');
  let preference = { name, weight: 0, precision: -1, position: 0 };
  for (const [position, { type, subtype, weight }] of ranges.entries()) {
    if ((type !== ownType && type !== '*') || (subtype !== ownSubtype && subtype !== '*')) continue;
    const precision = Number(type !== '*') + Number(subtype !== '*');
    const isBetter =
      precision > preference.precision || (precision === preference.precision && weight > preference.weight);
    if (isBetter) preference = { name, weight, precision, position };
  }
  return preference;
}

/** Finds the greatest preference; null where none is wanted. A tie goes to the more precise range, then to the earlier one. */
function mostPreferred<Name extends string>(preferences: readonly Preference<Name>[]): Preference<Name> | null {
  const [first] = preferences
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || b.precision - a.precision || a.position - b.position);
  return first ?? null;
}
