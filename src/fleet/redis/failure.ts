import { ErrorReply } from 'redis';
import { TimeoutError } from '../../timeout.ts';

const kinds = new Set([
  'OOM',
  'READONLY',
  'WRONGTYPE',
  'NOPERM',
  'NOAUTH',
  'WRONGPASS',
  'MISCONF',
  'LOADING',
  'BUSY',
  'MOVED',
]);

/** The kind of an error that Redis has replied, ERR for one that is not known; null for any other failure. */
export function refusalIn(error: unknown): string | null {
  if (!(error instanceof ErrorReply)) return null;
  // Its first word. The rest may quote the command.
  const [kind = ''] = error.message.split(' ', 1);
  return kinds.has(kind) ? kind : 'ERR';
}

/** Why there is no connection, without a word that the store, or its address, could have a part in. */
export function reasonOf(error: unknown): string {
  if (error instanceof TimeoutError) return 'late';
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return refusalIn(error) ?? (typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? code : 'closed');
}
