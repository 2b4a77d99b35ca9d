import { Random } from './random.ts';

const WORDS = [
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
const GROUPS = 120;
const NEWEST = 50;
const NEWEST_GROUPS = 29;

/** Index of the connection whose URL is a prefix of the busy one's: a substring match on it finds mostly strangers. */
const PREFIX_CONNECTION = 3;
/** Index of the connection that gets a share of all deliveries. */
export const BUSY_CONNECTION = 8;
/** Connections with a URL of their own to which nothing was ever delivered. */
export const QUIET_CONNECTIONS: readonly number[] = [17, 33];

const PREFIX_URL = 'https://events.example.com/hooks';

/** Where a connection's events go; null where none is set. */
export type Targets = { url: string | null; failover: string | null };

const groupHost = (group: number): string =>
  `${WORDS[group % WORDS.length] ?? 'atlas'}-${group}.example.${group % 2 === 0 ? 'com' : 'net'}`;

const path = (index: number): string => {
  if (index % 6 === 2) return '/hooks/eu';
  // A query part with reserved characters shows whether a client encodes the filter's value.
  return index % 10 === 7 ? '/hooks?tenant=12&mode=live' : '/hooks';
};

/** The targets of the connection at an index. Groups are shared, so several connections have the same URL. */
export const targetsOf = (index: number): Targets => {
  if (index === PREFIX_CONNECTION) return { url: PREFIX_URL, failover: null };
  if (index === BUSY_CONNECTION)
    return { url: `${PREFIX_URL}/eu`, failover: 'https://events-backup.example.net/hooks' };
  if (QUIET_CONNECTIONS.includes(index)) return { url: `https://quiet-${index}.example.com/hooks`, failover: null };
  const random = new Random(`targets:${index}`);
  const group = index < NEWEST ? (index * 11) % NEWEST_GROUPS : random.int(0, GROUPS - 1);
  const failover = index % 40 === 5 ? PREFIX_URL : `https://backup-${group}.example.net/hooks`;
  return {
    url: index % 9 === 4 ? null : `https://${groupHost(group)}${path(index)}`,
    failover: index % 40 === 5 ? failover : random.orNull(0.4, failover),
  };
};
