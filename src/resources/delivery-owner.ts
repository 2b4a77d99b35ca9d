import { largeBody } from '../bounds.ts';
import { badArgument } from '../errors.ts';
import type { IpConnectionRecord, WebhookDeliveryRecord } from '../generated/records.ts';
import { comparableId, FreeFormText, identifierOf } from '../json.ts';
import type { Loaders } from '../lists/loaders.ts';
import { readThrough } from '../lists/scan.ts';
import { valueAt, type Arguments } from '../upstream/endpoint.ts';
import { badResponse } from '../upstream/response/envelope.ts';
import { listIpConnections } from './ip-connection.ts';
import { newestOf } from './webhook-delivery.ts';

/** The connection that a filter of deliveries names; null where it names none. Throws BAD_USER_INPUT for text that no URL can carry. */
export function connectionIdIn(args: Arguments): string | null {
  const argument = ['filter', 'connectionId'];
  const id = valueAt(args, argument);
  if (typeof id !== 'string' || id === '') return null;
  if (!id.isWellFormed())
    throw badArgument(argument, 'filter.connectionId must be well-formed Unicode text, without lone surrogates.');
  return id;
}

// Identifiers in texts, which take longer to find, by the text.
const foundIds = new WeakMap<FreeFormText, unknown>();

/**
 * The identifier of a connection that the event of a delivery names, a text or an integer, as identifiers are compared; null where it names
 * none. Throws UPSTREAM_BAD_RESPONSE where that would take too long to find.
 */
export function connectionIdOf({ webhook }: WebhookDeliveryRecord): string | null {
  const payload: unknown = webhook?.payload;
  const id = payload instanceof FreeFormText ? idWithin(payload) : valueAt(payload, ['connection_id']);
  return comparedId(id);
}

/** The identifier of a connection as identifiers are compared; null where it has none. */
export function idOf(connection: IpConnectionRecord): string | null {
  return comparedId(connection.id);
}

function comparedId(value: unknown): string | null {
  const id = identifierOf(value);
  return id === undefined ? null : comparableId(id);
}

function idWithin(payload: FreeFormText): unknown {
  if (payload.length > largeBody) throw badResponse(`an event of at most ${largeBody} bytes`);
  return foundIds.getOrInsertComputed(payload, () => payload.member('connection_id'));
}

/** The addresses to which a connection's events are sent, each once. */
export function webhookUrlsOf({
  webhook_event_url: url,
  webhook_event_failover_url: failoverUrl,
}: IpConnectionRecord): readonly string[] {
  return [...new Set([url, failoverUrl])].filter((value) => typeof value === 'string' && value !== '') as string[];
}

/** The addresses that a delivery has tried: that of the newest attempt, then the others as they are listed. */
export function urlsTriedBy({ attempts }: WebhookDeliveryRecord): readonly string[] {
  const list: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
  const urls = [newestOf(list), ...list].map((attempt) => valueAt(attempt, ['http', 'request', 'url']));
  return [...new Set(urls)].filter((url) => typeof url === 'string');
}

/** The connections of an account, by what deliveries tell of them. */
export class Owners {
  readonly #byId = new Map<string, IpConnectionRecord>();
  readonly #byUrl = new Map<string, Map<unknown, IpConnectionRecord>>();

  constructor(connections: readonly IpConnectionRecord[]) {
    for (const connection of connections) {
      const id = idOf(connection);
      if (id !== null) this.#byId.set(id, connection);
      for (const url of webhookUrlsOf(connection)) {
        const ofUrl = this.#byUrl.get(url) ?? new Map<unknown, IpConnectionRecord>();
        // One that moves while the list is read is read twice, and is still one owner.
        this.#byUrl.set(url, ofUrl.set(id ?? connection, connection));
      }
    }
  }

  /**
   * The connection that the delivery's event names. Where it names none, or what is no connection of the account: the one that has
   * the address of the newest attempt, or of the first one listed with an address that a single connection has. Null where there is none.
   */
  ownerOf(delivery: WebhookDeliveryRecord): IpConnectionRecord | null {
    const named = this.#byId.get(connectionIdOf(delivery) ?? '');
    if (named !== undefined) return named;
    for (const url of urlsTriedBy(delivery)) {
      const [owner = null] = this.#byUrl.get(url)?.values() ?? [];
      if (owner !== null && !this.isShared(url)) return owner;
    }
    return null;
  }

  /** Whether the event of a delivery names one of them. */
  isNamedBy(delivery: WebhookDeliveryRecord): boolean {
    return this.#byId.has(connectionIdOf(delivery) ?? '');
  }

  /** Whether several connections have this address, so that it does not tell whose a delivery is. */
  isShared(url: string): boolean {
    return (this.#byUrl.get(url)?.size ?? 0) > 1;
  }
}

/**
 * Reads all connections, once for a request: no filter of the upstream finds them by address. Throws QUERY_TOO_COMPLEX where that takes
 * more than `scanPages` calls.
 */
export function readOwners(loaders: Loaders, scanPages: number): Promise<Owners> {
  return loaders.once(
    'owners of deliveries',
    async () => new Owners(await readThrough(listIpConnections, {}, loaders, scanPages)),
  );
}

/**
 * Those of some deliveries that belong to a connection, by its identifier in any spelling. The connections are read only if a delivery
 * does not name this one.
 */
export async function ownedBy<Row extends WebhookDeliveryRecord>(
  id: string | null,
  deliveries: readonly Row[],
  read: (undecided: readonly Row[]) => Promise<Owners>,
): Promise<readonly Row[]> {
  const wanted = comparedId(id);
  const isNamed = (delivery: Row): boolean => wanted !== null && connectionIdOf(delivery) === wanted;
  const undecided = deliveries.filter((delivery) => !isNamed(delivery));
  if (undecided.length === 0) return deliveries;
  const owners = await read(undecided);
  const isOwn = (delivery: Row): boolean => {
    const owner = owners.ownerOf(delivery);
    return owner !== null && idOf(owner) === wanted;
  };
  return deliveries.filter((delivery) => isNamed(delivery) || isOwn(delivery));
}
