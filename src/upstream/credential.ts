import { hash, randomBytes } from 'node:crypto';
import { GatewayError } from '../errors.ts';

/** Characters of a bearer key (interface: "Errors"). */
export const keyLength = 4_096;

/** Words of an Authorization header of another form that may be keys, and are hidden in texts: such headers have one or two. */
const headerWords = 4;

// RFC 6750, section 2.1: b64token. The scheme is case-insensitive (RFC 9110, section 11.1).
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
// Parts of a key of the sandbox may be `name=value`.
const sandboxBearer = /^bearer +([A-Za-z0-9\-._~+/][A-Za-z0-9\-._~+/=]*)$/i;
const longestHeader = 'Bearer '.length + keyLength;

/** The key of an Authorization header; null where the header has another form, or the key is too long. */
interface Credential {
  readonly key: string | null;
  readonly isKeyTooLong: boolean;
}

/** Reads the API key of an Authorization header. */
export function credentialOf(authorization = '', pattern = bearer): Credential {
  const key = pattern.exec(authorization)?.[1] ?? null;
  if (key !== null && key.length <= keyLength) return { key, isKeyTooLong: false };
  return { key: null, isKeyTooLong: key !== null || authorization.length > longestHeader };
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

const processKey = randomBytes(32).toString('base64');

/**
 * The name of a caller in state that requests share: a keyed hash of the credential, useless outside this process. Equal
 * credentials have equal names, and a name does not reveal its credential.
 */
export function callerIdentityOf(key: string): string {
  // One call, several times cheaper than an HMAC object. An HMAC also resists the extension of a text whose hash is known, but
  // nobody sees these hashes.
  return hash('sha256', processKey + key, 'base64url');
}

/** A credential, and the name of its caller in state that requests share: empty where there is no key that could be sent. */
interface NamedCredential extends Credential {
  readonly identity: string;
}

/** Reads the Authorization header of a request, and its X-Sandbox, which counts before the embedded sandbox alone. */
export type ReadCredential = (authorization: string | undefined, sandboxHeader?: string | string[]) => NamedCredential;

/** Creates the reader of credentials, whose keys may have the parts of a sandbox's before the embedded one. */
export function createCredentialReader(isSandbox = false): ReadCredential {
  const pattern = isSandbox ? sandboxBearer : bearer;
  return (given = '', sandboxHeader) => {
    const credential = credentialOf(isSandbox ? withSandboxHeader(given, sandboxHeader) : given, pattern);
    return { ...credential, identity: credential.key === null ? '' : callerIdentityOf(credential.key) };
  };
}

/** The header with the parts of X-Sandbox in its key: they tell callers apart in all that requests share, and reach the sandbox. */
function withSandboxHeader(authorization: string, header: string | string[] | undefined): string {
  if (authorization === '' || header === undefined) return authorization;
  return `${authorization}+x-sandbox+${header.toString().replaceAll(/[^\w.~+/=-]+/g, '+')}`;
}
