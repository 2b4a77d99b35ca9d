import { keysIn } from '../credential.ts';
import { cut, withoutKey } from './redaction.ts';

/** Takes the key of an Authorization header out of a text, and cuts the text to `limit` characters. */
export function hideCallerKey(text: string, authorization: string | undefined, limit = Infinity): string {
  let hidden = text;
  for (const key of keysIn(authorization)) hidden = withoutKey(hidden, key, limit);
  return cut(hidden, limit);
}
