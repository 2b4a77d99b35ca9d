import { hash } from 'node:crypto';

const version = '1';
const checkLength = 8;

/**
 * A cursor names a position in one list: opaque, under 200 characters, and tied by its check to the list's operation,
 * filter and order (`list`). It is no secret: a forged one could point at nothing but a row of the forger's own list.
 */
export function encodeCursor(list: string, position: number): string {
  const body = `${version}.${position.toString(36)}`;
  return Buffer.from(`${body}.${check(list, body)}`).toString('base64url');
}

/** The position that a cursor of `list` names, from 0; null for any other text. */
export function decodeCursor(list: string, cursor: string): number | null {
  if (cursor.length > 200) return null;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const body = text.slice(0, -checkLength - 1);
  const position = /^1\.([0-9a-z]{1,10})$/.exec(body)?.[1];
  if (position === undefined || text.slice(body.length) !== `.${check(list, body)}`) return null;
  return Number.parseInt(position, 36);
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}
