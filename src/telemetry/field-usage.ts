import { hash } from 'node:crypto';
import type { Log } from './log.ts';
import { oncePerHour } from './metrics.ts';

/** Names of clients that the usage of fields is counted by; with all fields of the schema some ten thousand counts. */
export const namesOfClients = 50;

/** Of these, names that one key may make known. */
export const namesOfOneCaller = 10;

/** Who uses fields. */
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
  readonly #isDue = oncePerHour();
  readonly #names = new Set<string>();
  /** How many names a caller has made known, by the hash of its key. */
  readonly #namesOf = new Map<string, number>();

  constructor(count: (coordinate: string, client: string) => void, log: Log) {
    this.#count = count;
    this.#log = log;
  }

  /** Notes the coordinates that one operation uses, or one event of a stream: why each is deprecated, or null. */
  note(usage: ReadonlyMap<string, string | null>, client: UsingClient, source: object): void {
    const clientName = this.#nameOf(client);
    for (const [coordinate, reason] of usage) {
      this.#count(coordinate, clientName);
      if (reason !== null && this.#isDue(`${coordinate} ${clientName}`))
        this.#log.warn({ ...source, coordinate, clientName, reason }, 'deprecated field in use');
    }
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
