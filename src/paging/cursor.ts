import { hash } from 'node:crypto';
import { longestList } from '../bounds.ts';
import { markLength, type Anchor, type Mark } from './anchor.ts';
import { checkLength, cursorForm, radix, version } from './cursor-pattern.ts';
import { digitsOf, momentOfDigits, type Direction } from './moment.ts';

/**
 * The cursor of an anchor: opaque text with a version, under 200 characters. Its check ties it to the list: endpoint, filter and
 * order. It is no secret and gives no access: a forged cursor can only point at the forger's own rows.
 */
export function encodeCursor(list: string, anchor: Anchor): string {
  const { position, total, mark, before, after, adjacent, time, pin } = anchor;
  // One text that grows costs a fourth of what lists and their joins do, and a page may ask for many cursors.
  let body = `${version}|${position.toString(radix)}|${total === null ? '' : total.toString(radix)}|${mark}`;
  for (const neighbour of before) body += neighbour;
  for (const neighbour of after) body += neighbour;
  body += `|${before.length.toString(radix)}${adjacent.before.toString(radix)}${adjacent.after.toString(radix)}`;
  body += `|${timeText(time)}|${pin === null ? '' : digitsOf(pin)}`;
  return Buffer.from(body + check(list, body)).toString('base64url');
}

/** The anchor of a cursor of `list`; null for any other text. */
export function decodeCursor(list: string, cursor: string): Anchor | null {
  if (cursor.length > cursorForm.longest) return null;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  // The decoder skips foreign characters; only the text that was given out is a cursor.
  if (Buffer.from(text).toString('base64url') !== cursor) return null;
  const body = text.slice(0, -checkLength);
  if (text.slice(-checkLength) !== check(list, body)) return null;
  const parts = cursorForm.pattern.exec(body);
  if (parts === null) return null;
  const [, position = '', total = '', marks = '', before, ...rest] = parts;
  const [adjacentBefore, adjacentAfter, sign, moment, pin] = rest;
  const [mark = '', ...around] = marksOf(marks);
  return {
    position: numberIn(position),
    total: total === '' ? null : numberIn(total),
    mark,
    before: around.slice(0, numberIn(before)),
    after: around.slice(numberIn(before)),
    adjacent: { before: numberIn(adjacentBefore), after: numberIn(adjacentAfter) },
    time:
      sign === undefined || moment === undefined
        ? null
        : { moment: momentOfDigits(moment), direction: directions[sign] ?? 0 },
    pin: pin === undefined ? null : momentOfDigits(pin),
  };
}

/** The position that a cursor names, of whatever list it is; null for a text that names none. */
export function positionOf(cursor: string): number | null {
  if (cursor.length > cursorForm.longest) return null;
  const [, position = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('|', 2);
  const number = Number.parseInt(position, radix);
  return Number.isSafeInteger(number) && number >= 0 && number < longestList ? number : null;
}

function numberIn(digits = '0'): number {
  return Number.parseInt(digits, radix);
}

/** Whether a text begins as earlier cursors did. They name rows by another hash, so those rows cannot be found again. */
export function isOfEarlierVersion(cursor: string): boolean {
  return Buffer.from(cursor.slice(0, 4), 'base64url').toString('latin1').startsWith('1|');
}

const directions: Readonly<Record<string, Direction>> = { '-': -1, '~': 0, '+': 1 };

function timeText(time: Anchor['time']): string {
  return time === null ? '' : `${'-~+'[time.direction + 1]}${digitsOf(time.moment)}`;
}

function marksOf(text: string): readonly Mark[] {
  return Array.from({ length: text.length / markLength }, (_, index) =>
    text.slice(index * markLength, (index + 1) * markLength),
  );
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}
