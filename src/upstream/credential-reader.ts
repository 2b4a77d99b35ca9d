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

/**
 * Creates the reader of credentials. To check a key and to hash it costs as much as a twentieth of a small request, so those that the
 * API has accepted are kept: `keptCredentials` at most, and none longer than twice `keptCredentialMs` after its last request.
 */
export function createCredentialReader(known: Pick<KnownCallers, 'isAccepted'>): CredentialReader {
  let recent = new Map<string, NamedCredential>();
  let earlier = new Map<string, NamedCredential>();
  let aging: NodeJS.Timeout | null = null;

  function age(): void {
    earlier = recent;
    recent = new Map();
    aging = earlier.size === 0 ? null : setTimeout(age, keptCredentialMs).unref();
  }

  function keep(authorization: string, credential: NamedCredential): void {
    if (recent.size >= keptCredentials / 2) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(authorization, credential);
    aging ??= setTimeout(age, keptCredentialMs).unref();
  }

  return {
    read(authorization = '') {
      const kept = recent.get(authorization);
      if (kept !== undefined) return kept;
      const credential = earlier.get(authorization) ?? namedCredentialOf(authorization);
      const isShort = authorization.length <= keptCredentialLength;
      // A key that may be made up is forgotten with the request.
      if (credential.key !== null && isShort && known.isAccepted(credential.identity)) keep(authorization, credential);
      return credential;
    },
    keptKey: (authorization) => (recent.get(authorization) ?? earlier.get(authorization))?.key ?? null,
  };
}

function namedCredentialOf(authorization: string): NamedCredential {
  const credential = credentialOf(authorization);
  const { key } = credential;
  if (key === null) return { key, isKeyTooLong: credential.isTooLong, identity: '' };
  return { key, isKeyTooLong: false, identity: callerIdentityOf(key) };
}
