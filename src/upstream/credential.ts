import { headerWords, keyLength } from '../bounds.ts';
import { GatewayError } from '../errors.ts';

// RFC 6750, section 2.1: b64token. The scheme is case-insensitive (RFC 9110, section 11.1).
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
const longestHeader = 'Bearer '.length + keyLength;

/** The key of an Authorization header, or the reason why there is none. */
export type Credential = { readonly key: string } | { readonly key: null; readonly isTooLong: boolean };

/** Reads the API key of an Authorization header: null where the header has another form, or the key is too long. */
export function credentialOf(authorization: string | undefined): Credential {
  const key = bearer.exec(authorization ?? '')?.[1] ?? null;
  if (key !== null) return key.length <= keyLength ? { key } : { key: null, isTooLong: true };
  return { key: null, isTooLong: (authorization?.length ?? 0) > longestHeader };
}

/** UNAUTHENTICATED for a caller without a key that could be sent; its message says what is wanted. */
export function withoutCredential({ isKeyTooLong = false }: { readonly isKeyTooLong?: boolean }): GatewayError {
  const message = isKeyTooLong
    ? `The header "Authorization: Bearer <key>" is too long: a key has ${keyLength} characters at most.`
    : 'This needs your own API key. Send it in the header "Authorization: Bearer <key>".';
  return new GatewayError('UNAUTHENTICATED', { message });
}

const words = new RegExp(`[\\w\\-.~+/]{8,${keyLength}}=*`, 'g');

/** The parts of a header that may be keys: the key, or the longer words of a header of another form. */
export function keysIn(authorization = ''): readonly string[] {
  const { key } = credentialOf(authorization);
  if (key !== null) return [key];
  return authorization.match(words)?.slice(0, headerWords) ?? [];
}
