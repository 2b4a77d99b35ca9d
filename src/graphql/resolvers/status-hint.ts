import type { QueryWebhookDeliveriesArgs } from '../../generated/schema.ts';
import type { Connection } from '../../paging/connection.ts';
import type { Context, Hint } from '../context.ts';
import type { FieldInfo } from '../execution/field-info.ts';

/** The statuses of deliveries that the REST contract shows ("Webhook delivery"). There may be others. */
const shownStatuses = ['delivered', 'failed'];

/**
 * Notes a hint where a filter by status has matched nothing, and a status that the API is known to have differs from the wanted one by
 * case alone. It takes no call.
 */
export function noteStatusHint(
  { filter }: Partial<QueryWebhookDeliveriesArgs>,
  { totalCount }: Connection<unknown>,
  { noteHint }: Context,
  { fieldNodes: [node] }: FieldInfo,
): void {
  const wanted = filter?.status?.eq ?? '';
  const known = shownStatuses.find((status) => status !== wanted && status === wanted.toLowerCase());
  if (totalCount !== 0 || known === undefined || node === undefined) return;
  noteHint(hintOf((node.alias ?? node.name).value, wanted, known));
}

function hintOf(key: string, wanted: string, known: string): Hint {
  return {
    message: `No delivery has the status "${wanted}". The platform has the status "${known}", which differs by case alone.`,
    path: [key],
    argument: ['filter', 'status', 'eq'],
    values: [known],
  };
}
