import { keptCredentialLength, keptCredentialMs, keptCredentials } from '../bounds.ts';
import { callerIdentityOf } from './caller-identity.ts';
import { credentialOf } from './credential.ts';
import type { KnownCallers } from './stages/known-callers.ts';

/** A credential, and the name of its caller in state that requests share. */
export interface NamedCredential {
  /** Null where there is none that could be sent; then the identity is empty. */
  readonly key: string | null;
  /** Whether the key is null because it was too long. */
  readonly isKeyTooLong: boolean;
  readonly identity: string;
}

/** Reads the Authorization header of a request. */
export type ReadCredential = (authorization: string | undefined) => NamedCredential;

/** The reader of the credentials of all callers. */
export interface CredentialReader {
  readonly read: ReadCredential;
  /** The key of a header that was read, and is kept; null for any other header, which may hold a key all the same. */
  readonly keptKey: (authorization: string) => string | null;
}

/** A credential and the header that it came in. */
interface KeptCredential {
  readonly authorization: string;
  readonly credential: NamedCredential;
}

const slots = 1_024;

/** The slot of a header, by its last characters, in which keys differ. */
function slotOf(text: string): number {
  const last = text.length - 1;
  return (text.charCodeAt(last) * 37 + text.charCodeAt(last - 1) * 11 + text.charCodeAt(last - 2)) & (slots - 1);
}

/**
 * Creates the reader of credentials. To check a key and to hash it costs as much as a twentieth of a small request, so those that the
 * API has accepted are kept: `keptCredentials` at most, and none longer than twice `keptCredentialMs` after its last request.
 */
export function createCredentialReader(known: Pick<KnownCallers, 'isAccepted'>): CredentialReader {
  let recent = new Map<string, NamedCredential>();
  let earlier = new Map<string, NamedCredential>();
  // The latest of `recent` in each slot. To look up a new text in a Map, V8 makes it a unique one, which takes longer than to compare it.
  let latest: (KeptCredential | undefined)[] = emptySlots();
  let aging: NodeJS.Timeout | null = null;

  function renew(): void {
    earlier = recent;
    recent = new Map();
    latest = emptySlots();
  }

  function age(): void {
    renew();
    aging = earlier.size === 0 ? null : setTimeout(age, keptCredentialMs).unref();
  }

  function keep(authorization: string, credential: NamedCredential): void {
    if (recent.size >= keptCredentials / 2) renew();
    recent.set(authorization, credential);
    aging ??= setTimeout(age, keptCredentialMs).unref();
  }

  /** The credential of a header that came since the kept ones were renewed. */
  function recentOf(authorization: string): NamedCredential | undefined {
    const slot = slotOf(authorization);
    const last = latest[slot];
    if (last !== undefined && last.authorization === authorization) return last.credential;
    const credential = recent.get(authorization);
    if (credential !== undefined) latest[slot] = { authorization, credential };
    return credential;
  }

  return {
    read(authorization = '') {
      const kept = recentOf(authorization);
      if (kept !== undefined) return kept;
      const credential = earlier.get(authorization) ?? namedCredentialOf(authorization);
      const isShort = authorization.length <= keptCredentialLength;
      // A key that may be made up is forgotten with the request.
      if (credential.key !== null && isShort && known.isAccepted(credential.identity)) keep(authorization, credential);
      return credential;
    },
    keptKey: (authorization) => (recentOf(authorization) ?? earlier.get(authorization))?.key ?? null,
  };
}

function emptySlots(): (KeptCredential | undefined)[] {
  return Array.from({ length: slots });
}

function namedCredentialOf(authorization: string): NamedCredential {
  const credential = credentialOf(authorization);
  const { key } = credential;
  if (key === null) return { key, isKeyTooLong: credential.isTooLong, identity: '' };
  return { key, isKeyTooLong: false, identity: callerIdentityOf(key) };
}
