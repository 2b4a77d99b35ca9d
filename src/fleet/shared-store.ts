import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CallerKey } from '../upstream/credential.ts';

// What replicas share, or workers. A store is given names that reveal nothing and bytes that are sealed: it never sees a key or a row. No
// method throws, and none takes longer than fifty milliseconds: where the store is away, slow, full or lying, whoever has asked does what
// one process does.

/** Messages reach all processes that watch their channel but their sender, in any order, and now and then twice, late, or not at all. */
export interface Channels {
  send(channel: string, message: Buffer): void;
  /** Runs for each message of a channel. Returns the function that ends it. A channel has one watcher. */
  watch(channel: string, hear: (message: Buffer) => void): () => void;
}

/** Sealed reports, each for a moment. A report belongs to a caller and has a name within that caller's. */
export interface ReportStore {
  /** Null where there is none, or the store is away. */
  get(caller: string, report: string): Promise<Buffer | null>;
  put(caller: string, report: string, sealed: Buffer, keepMs: number): void;
  /** Drops a report of a caller; all of them where its name is null. */
  drop(caller: string, report: string | null): void;
  /** Counts what was got, and is none that a replica has put. */
  countUnusable(): void;
}

/** What a caller's own key gives: names in the store, and the sealing of what is put there. */
export interface CallerSecrets {
  /** The caller's name in the store. */
  readonly name: string;
  /** A name in the store for something of the caller's. Whoever has not the key learns nothing from it. */
  nameOf(text: string): string;
  /** Seals bytes with a context; they open with the same one alone. */
  seal(context: string, bytes: Buffer): Buffer;
  /** The bytes that were sealed with this context; null for all else, such as what was changed, cut, or moved here. */
  open(context: string, sealed: Buffer): Buffer | null;
}

/** The secrets of all callers. */
export interface SecretsOf {
  (caller: CallerKey): CallerSecrets;
  /** A caller by name in the store; undefined where this process has not met the caller of late. */
  named(name: string): { readonly identity: string; readonly secrets: CallerSecrets } | undefined;
}

/** Callers whose names and keys in the store are remembered: some hundred bytes each. */
export const fleetCallers = 10_000;

/** Characters of each name in the store. */
export const nameLength = 32;

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** `scope` names the API: replicas in front of another one have other names, and open nothing of these. */
export function createCallerSecrets(scope: string): SecretsOf {
  const byName = new Map<string, ReturnType<SecretsOf['named']>>();
  // Deriving takes some twenty microseconds. What is remembered opens what this caller has in the store, and nothing else.
  const known = new LRUCache<string, CallerSecrets>({
    max: fleetCallers,
    dispose: ({ name }) => void byName.delete(name),
  });
  const secretsOf = ({ key, identity }: CallerKey): CallerSecrets => {
    const remembered = known.get(identity);
    if (remembered !== undefined) return remembered;
    const secrets = derive(key, scope);
    known.set(identity, secrets);
    byName.set(secrets.name, { identity, secrets });
    return secrets;
  };
  return Object.assign(secretsOf, { named: (name: string) => byName.get(name) });
}

/** HKDF (RFC 5869) of the caller's own key: one key for sealing, one for names. */
function derive(key: string, scope: string): CallerSecrets {
  const derived = Buffer.from(hkdfSync('sha256', key, 'switchboard shared state 1', scope, 2 * keyBytes));
  const [sealKey, nameKey] = [derived.subarray(0, keyBytes), derived.subarray(keyBytes)];
  const nameOf = (text: string): string =>
    createHmac('sha256', nameKey).update(text).digest('base64url').slice(0, nameLength);
  return {
    name: nameOf('caller'),
    nameOf: (text) => nameOf(`of ${text}`),
    seal(context, bytes) {
      const nonce = randomBytes(nonceBytes);
      const sealer = createCipheriv(cipher, sealKey, nonce).setAAD(Buffer.from(context));
      const sealed = [nonce, sealer.update(bytes), sealer.final()];
      return Buffer.concat([...sealed, sealer.getAuthTag()]);
    },
    open(context, sealed) {
      if (sealed.length < nonceBytes + tagBytes) return null;
      const opening = createDecipheriv(cipher, sealKey, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
      opening.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes));
      try {
        return Buffer.concat([opening.update(sealed.subarray(nonceBytes, -tagBytes)), opening.final()]);
      } catch {
        return null;
      }
    },
  };
}
