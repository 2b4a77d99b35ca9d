import { valueAt, type Arguments } from '../upstream/arguments.ts';
import { readAttempted, type AttemptedDeliveries } from './attempted-delivery.ts';
import { comparePositions, positionOf, type DeliveryPosition } from './delivery-position.ts';
import { listKeyOf } from '../lists/list-source.ts';
import type { Anchor } from '../paging/anchor.ts';
import type { Connection } from '../paging/connection.ts';
import { decodeCursor, encodeCursor } from '../paging/cursor.ts';
import { windowOf } from '../paging/window.ts';
import { listWebhookDeliveries, newestOf, type WebhookDeliveryRecord } from './webhook-delivery.ts';
import type { IpConnectionWebhookDeliveriesArgs } from '../generated/schema.ts';
import type { Context } from '../graphql/context.ts';
import { aSearch, someCalls } from '../limits/demand.ts';
import type { IpConnectionRecord } from './ip-connection.ts';
import type { Resource } from './resource.ts';
import { createOwnerLookUp, webhookUrlsOf } from './webhook-owner.ts';

interface AttemptedArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
  readonly filter?: object | null | undefined;
}

/**
 * The deliveries that tried one of these addresses, as a connection. Its cursors are places in time, not positions, so that rows
 * which come and go around them change nothing.
 */
async function loadAttempted(
  urls: readonly string[],
  { filter: given, ...paging }: AttemptedArguments,
  { loaders, scanPages }: Context,
): Promise<Connection<WebhookDeliveryRecord>> {
  const filter = (given ?? null) as Arguments | null;
  const list = `${urls.join(' ')} ${listKeyOf(listWebhookDeliveries, { filter })}`;
  const window = windowOf(paging, (text) => decodeCursor(list, text));
  const { first, last } = window;
  const [after, before] = [placeOf(window.after), placeOf(window.before)];
  const isCrossed = after !== null && before !== null && comparePositions(before, after) <= 0;
  const { deliveries, frontier } = isCrossed
    ? nothing
    : await loaders.once(JSON.stringify([list, first, after, before]), () =>
        readAttempted({ urls, filter, after, before, count: first, scanPages }, loaders),
      );
  const found = first === null ? deliveries : deliveries.slice(0, first);
  const skipped = last === null ? 0 : Math.max(0, found.length - last);
  const rows = found.slice(skipped);
  const isShort = first !== null && found.length < first && frontier !== null;
  return {
    rows,
    cursorAt: (index) => cursorOf(list, positionOf(rows[index] as WebhookDeliveryRecord)),
    ...(isShort && { continuation: cursorOf(list, frontier) }),
    totalCount: frontier === null && after === null && before === null ? deliveries.length : null,
    // How many deliveries are newer than a cursor is not known.
    offset: after === null ? skipped : null,
    hasNextPage: found.length < deliveries.length || frontier !== null || before !== null,
    hasPreviousPage: skipped > 0 || after !== null,
  };
}

const nothing: AttemptedDeliveries = { deliveries: [], frontier: null };

function placeOf(anchor: Anchor | null): DeliveryPosition | null {
  return anchor === null ? null : { moment: anchor.time?.moment ?? null, row: anchor.row };
}

function cursorOf(list: string, { moment, row }: DeliveryPosition): string {
  const time = moment === null ? null : ({ moment, direction: -1 } as const);
  const around = { before: [], after: [], adjacent: { before: 0, after: 0 } };
  return encodeCursor(list, { position: 0, total: null, row, ...around, time, newest: null });
}

/** The address of a delivery's newest attempt; null where it has none. */
function newestUrlOf({ attempts }: WebhookDeliveryRecord): string | null {
  const list: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
  const url = valueAt(newestOf(list), ['http', 'request', 'url']);
  return typeof url === 'string' ? url : null;
}

/** The two directions between connections and the deliveries that were sent to their addresses. */
export const resource = {
  fields: {
    IpConnection: {
      webhookDeliveries: (record: IpConnectionRecord, args: IpConnectionWebhookDeliveriesArgs, context: Context) =>
        loadAttempted(webhookUrlsOf(record), args, context),
    },
    WebhookDelivery: {
      async ipConnection(record: WebhookDeliveryRecord, _args: object, { lookUps }: Context) {
        const url = newestUrlOf(record);
        const [owner = null, ...others] = url === null ? [] : await lookUps.of(createOwnerLookUp).load(url);
        return others.length === 0 ? owner : null;
      },
    },
  },
  costs: {
    // A connection has an address for its webhooks and an alternative one. Each has its own list.
    'IpConnection.webhookDeliveries': (_args, { scanPages }) => someCalls(2 * scanPages),
    'WebhookDelivery.ipConnection': (_args, { scanPages }) => aSearch('owners', 1, () => scanPages),
  },
} satisfies Resource;
