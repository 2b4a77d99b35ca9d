import type { CallerSecrets } from './caller-secrets.ts';

/** A sign of life of a feed's holder. */
export interface Beat {
  /** Larger with each beat of a holder: an old one that comes again is no sign of life. */
  readonly count: number;
  /** The number of the holder's last entry; 0 before the first. */
  readonly sequence: number;
}

const numberBytes = 6;

export function sealBeat(secrets: CallerSecrets, feed: string, token: string, { count, sequence }: Beat): Buffer {
  const bytes = Buffer.alloc(2 * numberBytes);
  bytes.writeUIntBE(count, 0, numberBytes);
  bytes.writeUIntBE(sequence, numberBytes, numberBytes);
  return secrets.seal(`beat ${feed} ${token}`, bytes);
}

/** Null for what is no beat of this holder. */
export function openBeat(secrets: CallerSecrets, feed: string, token: string, sealed: Buffer): Beat | null {
  const bytes = secrets.open(`beat ${feed} ${token}`, sealed);
  if (bytes?.length !== 2 * numberBytes) return null;
  return { count: bytes.readUIntBE(0, numberBytes), sequence: bytes.readUIntBE(numberBytes, numberBytes) };
}
