import type { Arguments } from '../../upstream/arguments.ts';
import { readAttempted } from '../../lists/attempted-delivery.ts';
import { positionOf, type DeliveryPosition } from '../../lists/delivery-position.ts';
import { listKeyOf } from '../../lists/list-source.ts';
import type { Connection } from '../../paging/connection.ts';
import { decodeCursor, encodeCursor } from '../../paging/cursor.ts';
import { windowOf } from '../../paging/window.ts';
import { listWebhookDeliveries, type WebhookDeliveryRecord } from '../../upstream/endpoints/webhook-delivery.ts';
import type { Context } from '../context.ts';

interface AttemptedArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly filter?: object | null | undefined;
}

/**
 * The deliveries that tried one of these addresses, as a connection. Its cursors are places in time, not positions, so that rows
 * which come and go around them change nothing.
 */
export async function loadAttempted(
  urls: readonly string[],
  args: AttemptedArguments,
  { loaders, scanPages }: Context,
): Promise<Connection<WebhookDeliveryRecord>> {
  const filter = (args.filter ?? null) as Arguments | null;
  const list = `${urls.join(' ')} ${listKeyOf(listWebhookDeliveries, { filter })}`;
  const { first, after: anchor } = windowOf({ first: args.first, after: args.after }, (text) =>
    decodeCursor(list, text),
  );
  const count = first ?? 0;
  const after = anchor === null ? null : { moment: anchor.time?.moment ?? null, mark: anchor.mark };
  const { deliveries, frontier } = await loaders.once(JSON.stringify([list, count, after]), () =>
    readAttempted({ urls, filter, after, count, scanPages }, loaders),
  );
  const rows = deliveries.slice(0, count);
  const isShort = rows.length < count && frontier !== null;
  return {
    rows,
    cursorAt: (index) => cursorOf(list, positionOf(rows[index] as WebhookDeliveryRecord)),
    ...(isShort && { continuation: cursorOf(list, frontier) }),
    totalCount: frontier === null && after === null ? deliveries.length : null,
    // How many deliveries are newer than a cursor is not known.
    offset: after === null ? 0 : null,
    hasNextPage: deliveries.length > count || frontier !== null,
    hasPreviousPage: after !== null,
  };
}

function cursorOf(list: string, { moment, mark }: DeliveryPosition): string {
  const time = moment === null ? null : ({ moment, direction: -1 } as const);
  const around = { before: [], after: [], adjacent: { before: 0, after: 0 } };
  return encodeCursor(list, { position: 0, total: null, mark, ...around, time, pin: null });
}
