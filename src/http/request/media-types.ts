import { LRUCache } from 'lru-cache';
import { acceptRanges } from '../../bounds.ts';

/** The media types of a result that comes whole. */
export type WholeType = 'application/json' | 'application/graphql-response+json';
/** The media types of a result that may go on. */
export type StreamType = 'text/event-stream' | 'multipart/mixed';

/** What a client takes, by its Accept header (RFC 9110, section 12.5.1). */
export interface Accepted {
  /** Of a result that comes whole: JSON, unless a stream of it alone is wanted more; null where nothing is taken that there is. */
  readonly whole: WholeType | StreamType | null;
  /** Of a result that may come in pieces; null where it is to come whole. */
  readonly pieces: StreamType | null;
  /** Whether a subscription can be answered. */
  readonly takesEvents: boolean;
  /** Whether a page for people is wanted. */
  readonly takesPage: boolean;
}

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
}

/** How much a media type is wanted, from 0 to 1, and by which range: how precisely that says it, and where it stands. */
interface Wish<Name extends string = string> {
  readonly name: Name;
  readonly weight: number;
  readonly precision: number;
  readonly position: number;
}

const token = String.raw`[\w!#$%&'*+.^|~\x60-]+`;
// What stands between commas. One that is quoted separates nothing, and a quotation may have no end.
const element = /(?:"[^"]*(?:"|$)|[^,"])+/g;
const mediaRange = new RegExp(String.raw`^\s*(${token})/(${token})\s*(?:;(.*))?$`, 's');
const parameter = new RegExp(String.raw`(?:^|;)\s*(${token})=(?:"([^"]*)"|([^;\s]*))`, 'g');
const anything: Range = { type: '*', subtype: '*', weight: 1 };

/** Reads an Accept header; without one, or with an empty one, anything is taken. */
export function readAccept(accept = ''): Accepted {
  const ranges = rangesOf(accept);
  const json = mostWanted([wishFor('application/json', ranges), wishFor('application/graphql-response+json', ranges)]);
  const events = wishFor('text/event-stream', ranges);
  const streams = [wishFor('multipart/mixed', ranges), events];
  const leastWeight = json?.weight ?? 0;
  // `*/*` is sent by clients that know nothing of pieces and pages.
  const isMeant = ({ weight, precision }: Wish): boolean => precision === 2 && weight > 0 && weight >= leastWeight;
  return {
    whole: mostWanted(streams.filter(({ weight }) => weight > leastWeight))?.name ?? json?.name ?? null,
    pieces: mostWanted(streams.filter(isMeant))?.name ?? null,
    takesEvents: events.weight > 0,
    takesPage: isMeant(wishFor('text/html', ranges)),
  };
}

function rangesOf(accept: string): readonly Range[] {
  if (accept.trim() === '') return [anything];
  return [...accept.matchAll(element).take(acceptRanges)].flatMap(([text]) => {
    const [, type, subtype, parameters = ''] = mediaRange.exec(text) ?? [];
    if (type === undefined || subtype === undefined) return [];
    const values = new Map(
      [...parameters.matchAll(parameter)].map(([, name = '', quoted, plain = '']) => [
        name.toLowerCase(),
        quoted ?? plain,
      ]),
    );
    // All that is sent is UTF-8; by what else a client tells a type apart is of no account here.
    if (!isUtf8Name(values.get('charset'))) return [];
    return [{ type: type.toLowerCase(), subtype: subtype.toLowerCase(), weight: weightOf(values.get('q')) }];
  });
}

/** Whether a charset parameter stands for UTF-8, as one does that is not there. */
export function isUtf8Name(charset: string | null | undefined): boolean {
  return charset == null || /^utf-?8$/i.test(charset);
}

/** A weight that is no number counts as if it were not there. */
function weightOf(text = ''): number {
  const weight = text === '' ? Number.NaN : Number(text);
  return Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight));
}

/** The range that says it most precisely decides; of several that do, the greatest weight. */
function wishFor<Name extends string>(name: Name, ranges: readonly Range[]): Wish<Name> {
  const [ownType, ownSubtype] = name.split('/');
  let wish = { name, weight: 0, precision: -1, position: 0 };
  for (const [position, { type, subtype, weight }] of ranges.entries()) {
    if ((type !== ownType && type !== '*') || (subtype !== ownSubtype && subtype !== '*')) continue;
    const precision = Number(type !== '*') + Number(subtype !== '*');
    const isBetter = precision > wish.precision || (precision === wish.precision && weight > wish.weight);
    if (isBetter) wish = { name, weight, precision, position };
  }
  return wish;
}

/** Of those that are wanted alike, the one that is said more precisely, or earlier; null where none is wanted. */
function mostWanted<Name extends string>(wishes: readonly Wish<Name>[]): Wish<Name> | null {
  const [first] = wishes
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || b.precision - a.precision || a.position - b.position);
  return first ?? null;
}

// Clients have few Accept headers; nobody fills the memory with many, or with long ones.
const mostHeaders = 100;
const longestHeader = 200;

/** As `readAccept`, and remembers what was asked for last. */
export function createAcceptReader(): (accept: string | undefined) => Accepted {
  const known = new LRUCache<string, Accepted>({ max: mostHeaders });
  return (accept = '') => {
    const before = known.get(accept);
    if (before !== undefined) return before;
    const accepted = readAccept(accept);
    if (accept.length <= longestHeader) known.set(accept, accepted);
    return accepted;
  };
}
