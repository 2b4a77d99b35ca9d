import { feedEntry } from '../bounds.ts';
import { parseExactly } from '../json.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { CallerSecrets } from './caller-secrets.ts';

/**
 * An entry is sealed for its feed, its owner and its number among that owner's: none can be moved, left out or sent again
 * without notice. It is not compressed: its length would show something of what stands beside a text that a stranger can choose,
 * such as that of a message.
 */
export function sealEntry(
  secrets: CallerSecrets,
  position: EntryPosition,
  fresh: readonly WebhookDeliveryRecord[],
): Buffer {
  return secrets.seal(nameOf(position), textOf(fresh) ?? Buffer.from('null'));
}

/** Null where it is too long, or too deep for JSON.stringify. Numbers beyond a double are printed digit for digit. */
function textOf(fresh: readonly WebhookDeliveryRecord[]): Buffer | null {
  try {
    const text = Buffer.from(JSON.stringify(fresh));
    return text.length > feedEntry ? null : text;
  } catch {
    return null;
  }
}

/** The deliveries of an entry; null where they did not fit into one, and for what is no entry of this position. */
export function openEntry(
  secrets: CallerSecrets,
  position: EntryPosition,
  sealed: Buffer,
): readonly WebhookDeliveryRecord[] | null {
  const text = secrets.open(nameOf(position), sealed)?.toString('utf8');
  const rows = text === undefined ? null : parseExactly(text);
  return Array.isArray(rows) ? (rows as readonly WebhookDeliveryRecord[]) : null;
}

/** Where an entry stands: in a feed, by the token of its owner and its number. */
export interface EntryPosition {
  readonly feed: string;
  readonly token: string;
  readonly sequence: number;
}

function nameOf({ feed, token, sequence }: EntryPosition): string {
  return `entry ${feed} ${token} ${sequence}`;
}
