import { Random } from './random.ts';

const words = [
  'atlas',
  'birch',
  'cobalt',
  'delta',
  'ember',
  'fjord',
  'granite',
  'harbour',
  'indigo',
  'juniper',
] as const;
const groupCount = 120;
const newestCount = 50;
const newestGroupCount = 29;

/** Index of the connection whose URL is a prefix of the busy one's: a substring match on it finds mostly strangers. */
const prefixConnection = 3;
/** Index of the connection that gets a share of all deliveries. */
export const busyConnection = 8;
/** Connections with a URL of their own to which nothing was ever delivered. */
export const quietConnections: readonly number[] = [17, 33];

const prefixUrl = 'https://events.example.com/hooks';

/** The URLs that a connection's events go to; null where none is set. */
export interface Targets {
  readonly url: string | null;
  readonly failover: string | null;
}

function groupHost(group: number): string {
  return `${words[group % words.length] ?? 'atlas'}-${group}.example.${group % 2 === 0 ? 'com' : 'net'}`;
}

function pathOf(index: number): string {
  if (index % 6 === 2) return '/hooks/eu';
  // A query part with reserved characters shows whether a client encodes the filter's value.
  return index % 10 === 7 ? '/hooks?tenant=12&mode=live' : '/hooks';
}

/** The targets of the connection at an index; connections of one group have the same URL. */
export function targetsOf(index: number): Targets {
  if (index === prefixConnection) return { url: prefixUrl, failover: null };
  if (index === busyConnection) return { url: `${prefixUrl}/eu`, failover: 'https://events-backup.example.net/hooks' };
  if (quietConnections.includes(index)) return { url: `https://quiet-${index}.example.com/hooks`, failover: null };
  const random = new Random(`targets:${index}`);
  const group = index < newestCount ? (index * 11) % newestGroupCount : random.int(0, groupCount - 1);
  const failover = index % 40 === 5 ? prefixUrl : `https://backup-${group}.example.net/hooks`;
  return {
    url: index % 9 === 4 ? null : `https://${groupHost(group)}${pathOf(index)}`,
    failover: index % 40 === 5 ? failover : random.orNull(0.4, failover),
  };
}
