import { hash } from 'node:crypto';
import { cursorNeighbours, largestPageSize, longestList } from '../bounds.ts';
import { hashLength, type Anchor, type RowHash } from './anchor.ts';
import { digitsOf, momentOfDigits, type Direction } from './moment.ts';

const version = '2';
const checkLength = 8;

/** Numbers are written with this many digits and letters, so that a count of neighbours takes one character. */
const radix = 36;
const numberLength = (longestList + largestPageSize).toString(radix).length;
const rows = 1 + cursorNeighbours.before + cursorNeighbours.after;

/** The text of a cursor without its check: `2|position|length|rows|counts|time|newest`. */
const form = new RegExp(
  String.raw`^${version}\|([\da-z]{1,${numberLength}})\|([\da-z]{0,${numberLength}})\|((?:[\w-]{${hashLength}}){1,${rows}})\|([\da-z])([\da-z])([\da-z])\|(?:([+~-])(\d{14,23}))?\|(\d{14,23})?$`,
);

/** The characters of a cursor, at most. */
const longest = 200;

const directions: Readonly<Record<string, Direction>> = { '-': -1, '~': 0, '+': 1 };

/**
 * The cursor of an anchor: opaque text with a version, at most 200 characters. Its check ties it to the list: endpoint, filter and
 * order. It is no secret and gives no access: a forged cursor can only point at the forger's own rows.
 */
export function encodeCursor(list: string, anchor: Anchor): string {
  const { position, total, row, before, after, adjacent, time, newest } = anchor;
  // One text that grows costs a fourth of what lists and their joins do, and a page may ask for many cursors.
  let body = `${version}|${position.toString(radix)}|${total === null ? '' : total.toString(radix)}|${row}`;
  for (const neighbour of before) body += neighbour;
  for (const neighbour of after) body += neighbour;
  body += `|${before.length.toString(radix)}${adjacent.before.toString(radix)}${adjacent.after.toString(radix)}`;
  body += `|${timeText(time)}|${newest === null ? '' : digitsOf(newest)}`;
  return Buffer.from(body + checkOf(list, body)).toString('base64url');
}

/** The anchor of a cursor of `list`; null for any other text. */
export function decodeCursor(list: string, cursor: string): Anchor | null {
  if (cursor.length > longest) return null;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  // The decoder skips foreign characters; only the text that was given out is a cursor.
  if (Buffer.from(text).toString('base64url') !== cursor) return null;
  const body = text.slice(0, -checkLength);
  if (text.slice(-checkLength) !== checkOf(list, body)) return null;
  const parts = form.exec(body);
  if (parts === null) return null;
  const [, position = '', total = '', hashes = '', before, ...rest] = parts;
  const [adjacentBefore, adjacentAfter, sign, moment, newest] = rest;
  const [row = '', ...around] = rowsOf(hashes);
  return {
    position: numberIn(position),
    total: total === '' ? null : numberIn(total),
    row,
    before: around.slice(0, numberIn(before)),
    after: around.slice(numberIn(before)),
    adjacent: { before: numberIn(adjacentBefore), after: numberIn(adjacentAfter) },
    time:
      sign === undefined || moment === undefined
        ? null
        : { moment: momentOfDigits(moment), direction: directions[sign] ?? 0 },
    newest: newest === undefined ? null : momentOfDigits(newest),
  };
}

/** Whether a text begins as earlier cursors did. They name rows by another hash, so those rows cannot be found again. */
export function isOfEarlierVersion(cursor: string): boolean {
  return Buffer.from(cursor.slice(0, 4), 'base64url').toString('latin1').startsWith('1|');
}

function numberIn(digits = '0'): number {
  return Number.parseInt(digits, radix);
}

function timeText(time: Anchor['time']): string {
  return time === null ? '' : `${'-~+'[time.direction + 1]}${digitsOf(time.moment)}`;
}

function rowsOf(text: string): readonly RowHash[] {
  return Array.from({ length: text.length / hashLength }, (_, index) =>
    text.slice(index * hashLength, (index + 1) * hashLength),
  );
}

function checkOf(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}
