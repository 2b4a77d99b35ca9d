import { keysIn } from '../credential.ts';
import { cut, withoutKey } from './redaction.ts';

/** Takes the key of an Authorization header out of a text, and cuts the text to `limit` characters. */
export function hideCallerKey(text: string, authorization: string | undefined, limit = Infinity): string {
  let hidden = text;
  for (const key of keysIn(authorization)) hidden = withoutKey(hidden, key, limit);
  return cut(hidden, limit);
}

/**
 * Creates a `hideCallerKey` that takes the key from `keptKey` where it is kept there: to read the header again costs more than the
 * search.
 */
export function createKeyHiding(keptKey: (authorization: string) => string | null): typeof hideCallerKey {
  return (text, authorization, limit) => {
    const key = authorization === undefined ? null : keptKey(authorization);
    return key === null ? hideCallerKey(text, authorization, limit) : withoutKey(text, key, limit);
  };
}
