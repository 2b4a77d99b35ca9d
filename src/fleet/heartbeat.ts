import type { CallerSecrets } from './caller-secrets.ts';

/** A sign of life of a feed's owner. */
export interface Heartbeat {
  /** Larger with each heartbeat of an owner: an old one that comes again is no sign of life. */
  readonly count: number;
  /** The number of the owner's last entry; 0 before the first. */
  readonly sequence: number;
}

const numberBytes = 6;

export function sealHeartbeat(
  secrets: CallerSecrets,
  feed: string,
  token: string,
  { count, sequence }: Heartbeat,
): Buffer {
  const bytes = Buffer.alloc(2 * numberBytes);
  bytes.writeUIntBE(count, 0, numberBytes);
  bytes.writeUIntBE(sequence, numberBytes, numberBytes);
  return secrets.seal(`beat ${feed} ${token}`, bytes);
}

/** Null for what is no heartbeat of this owner. */
export function openHeartbeat(secrets: CallerSecrets, feed: string, token: string, sealed: Buffer): Heartbeat | null {
  const bytes = secrets.open(`beat ${feed} ${token}`, sealed);
  if (bytes?.length !== 2 * numberBytes) return null;
  return { count: bytes.readUIntBE(0, numberBytes), sequence: bytes.readUIntBE(numberBytes, numberBytes) };
}
