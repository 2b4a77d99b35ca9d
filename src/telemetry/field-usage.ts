import { hash } from 'node:crypto';
import type { Log } from './log.ts';
import { oncePerHour } from './metrics.ts';

/** Names of clients that the usage of fields is counted by; with all fields of the schema some ten thousand counts. */
export const namesOfClients = 50;

/** Of these, names that one key may make known. */
export const namesOfOneCaller = 10;

/** The coordinates that an operation uses, and why those of them that are deprecated are so. */
export interface UsedFields {
  readonly coordinates: ReadonlySet<string>;
  readonly deprecations: ReadonlyMap<string, string>;
}

/** Who has used them. */
export interface UsingClient {
  /** What the client calls itself; null where it does not say. */
  readonly name: string | null;
  /** Its Authorization header. */
  readonly authorization: string | undefined;
  /** Whether the API has accepted its key: nobody else makes a name known. */
  readonly isAccepted: boolean;
}

/**
 * Counts the fields that operations use, by coordinate and client, and logs what of them is deprecated, once an hour for each coordinate
 * and client. The coordinates are the schema's. Of the names of clients, `namesOfClients` are known, few of them from one caller; any
 * other is `other`, and a client without one `unnamed`.
 */
export class FieldUsage {
  readonly #count: (coordinate: string, client: string) => void;
  readonly #log: Log;
  readonly #isDue: (key: string) => boolean;
  readonly #names = new Set<string>();
  /** How many names a caller has made known, by the hash of its key. */
  readonly #namesOf = new Map<string, number>();

  constructor(count: (coordinate: string, client: string) => void, log: Log, now?: () => number) {
    this.#count = count;
    this.#log = log;
    this.#isDue = oncePerHour(now);
  }

  /** Notes the usage of one operation, or of one event of a stream. */
  note({ coordinates, deprecations }: UsedFields, client: UsingClient, source: object): void {
    const name = this.#nameOf(client);
    for (const coordinate of coordinates) this.#count(coordinate, name);
    for (const [coordinate, reason] of deprecations)
      if (this.#isDue(`${coordinate} ${name}`))
        this.#log.warn({ ...source, coordinate, clientName: name, reason }, 'deprecated field in use');
  }

  #nameOf({ name, authorization = '', isAccepted }: UsingClient): string {
    if (name === null) return 'unnamed';
    if (this.#names.has(name)) return name;
    if (!isAccepted || this.#names.size >= namesOfClients) return 'other';
    const caller = hash('sha256', authorization);
    const own = this.#namesOf.get(caller) ?? 0;
    if (own >= namesOfOneCaller) return 'other';
    this.#namesOf.set(caller, own + 1);
    this.#names.add(name);
    return name;
  }
}
