'use client';

// React is the page's own, and so are its types: what is used of it is declared below.
// oxlint-disable-next-line typescript/ban-ts-comment
// @ts-ignore
import * as React from 'react';
import type { FeedError, FeedEvent, FeedOptions } from './follow.ts';
import { liveRows } from './live-rows.ts';
import { shareFeed } from './share.ts';

interface Hooks {
  readonly useEffect: (effect: () => (() => void) | undefined, dependencies?: readonly unknown[]) => void;
  readonly useRef: <Value>(first: Value) => { current: Value };
  readonly useState: <Value>(first: Value) => [Value, (next: Value | ((before: Value) => Value)) => void];
}

const { useEffect, useRef, useState } = React as unknown as Hooks;

interface Identified {
  readonly id: string | null;
}

/** What is followed, and the list that it continues. */
export interface LiveOptions<Row> extends FeedOptions {
  /** The rows of the list, the newest first. */
  readonly listed?: readonly Row[];
  /** Reads the list from the network. It is called when the feed begins, and when it has missed deliveries. */
  readonly read?: () => unknown;
}

export interface LiveDeliveries<Row> {
  /** Those that have appeared, the newest first, and then those of the list. Each comes once. */
  readonly deliveries: readonly Row[];
  /** `PAUSED` also before the feed begins. Nothing follows `ENDED`. */
  readonly state: 'LIVE' | 'PAUSED' | 'ENDED';
  /** Whether deliveries may have appeared that only the list has. */
  readonly missed: boolean;
  /** Why the feed has ended. */
  readonly errors: readonly FeedError[];
}

/** A feed as a page shows it. */
interface Followed<Row> extends Omit<LiveDeliveries<Row>, 'deliveries'> {
  readonly feed: string;
  /** The oldest first. */
  readonly arrived: readonly Row[];
}

const beginningOf = (feed: string): Followed<never> => ({
  feed,
  arrived: [],
  state: 'PAUSED',
  missed: false,
  errors: [],
});

function after<Row>(before: Followed<Row>, event: FeedEvent<Row>): Followed<Row> {
  if (event.type === 'delivery') return { ...before, arrived: [...before.arrived, event.delivery] };
  if (event.type === 'state') return { ...before, state: event.state, missed: before.missed || event.missed };
  if (event.type === 'error') return before;
  return { ...before, state: 'ENDED', errors: event.errors, arrived: event.hasAccountChanged ? [] : before.arrived };
}

/**
 * A list of deliveries that is live, by `shareFeed`. It follows anew where an option has changed. Of functions the newest one is called.
 * After `ENDED` a component with another `key` begins again.
 */
export function useLiveDeliveries<Row extends Identified>({
  listed = [],
  read,
  ...options
}: LiveOptions<Row>): LiveDeliveries<Row> {
  const newest = useRef({ options, read });
  // Functions are left out here.
  const feed = JSON.stringify(options);
  const [followed, setFollowed] = useState<Followed<Row>>(beginningOf(feed));
  useEffect(() => {
    newest.current = { options, read };
    return undefined;
  });
  useEffect(() => {
    let hasBegun = false;
    return shareFeed<Row>(withNewestFunctions(newest), (event) => {
      setFollowed((before) => after(before.feed === feed ? before : beginningOf(feed), event));
      if (event.type !== 'state' || event.state !== 'LIVE') return;
      // The client of the page tells of a list that cannot be read.
      if (!hasBegun || event.missed) Promise.resolve(newest.current.read?.()).catch(() => {});
      hasBegun = true;
    });
  }, [feed]);
  const { arrived, state, missed, errors } = followed.feed === feed ? followed : beginningOf(feed);
  return { deliveries: liveRows<Row>(arrived, listed), state, missed, errors };
}

function withNewestFunctions(newest: { readonly current: { readonly options: FeedOptions } }): FeedOptions {
  const { options } = newest.current;
  const headers = async () => {
    const now = newest.current.options.headers ?? {};
    return typeof now === 'function' ? now() : now;
  };
  return {
    ...options,
    ...(typeof options.headers === 'function' && { headers }),
    ...(options.account && { account: () => newest.current.options.account?.() ?? null }),
  };
}

/** A connection of Relay's form, with all pages that have been read. */
export interface Connection<Node> {
  readonly edges: readonly ({ readonly node?: Node | null } | null)[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

export interface InfiniteConnection<Node> {
  readonly nodes: readonly Node[];
  readonly hasMore: boolean;
  /** Whether a further page is being read. */
  readonly isReading: boolean;
  /** Why the next page could not be read; null where it could. No page is read by itself then: offer `more`. */
  readonly error: unknown;
  /** Reads the next page, if there is one and it is not being read. */
  readonly more: () => void;
  /** For the `ref` of an element behind the last row: as that comes near, the next page is read. */
  readonly sentinel: (element: Element | null) => void;
}

/** What became of the page behind a cursor. */
interface Attempt {
  readonly after: string;
  readonly isReading: boolean;
  readonly error: unknown;
}

/**
 * Infinite scroll over a connection as a client's cache appends it. `readPage` reads the page behind a cursor into that cache, and
 * resolves with the result: by Apollo's `fetchMore`, or by urql's `client.query`.
 */
export function useInfiniteConnection<Node>(
  connection: Connection<Node> | null | undefined,
  readPage: (cursor: string) => PromiseLike<{ readonly error?: unknown }>,
): InfiniteConnection<Node> {
  const [attempt, setAttempt] = useState<Attempt | null>(null);
  const [last, setLast] = useState<Element | null>(null);
  // The state of React comes later than the next look at the window.
  const begun = useRef<{ readonly cursor: string; isReading: boolean } | null>(null);
  const cursor = connection?.pageInfo.hasNextPage ? (connection.pageInfo.endCursor ?? null) : null;
  // Of a cursor that the list no longer ends with, nothing is told.
  const current = attempt?.after === cursor ? attempt : null;

  const read = (isAsked: boolean): void => {
    if (cursor === null) return;
    const before = begun.current?.cursor === cursor ? begun.current : null;
    if (before !== null && (before.isReading || !isAsked)) return;
    const own = { cursor, isReading: true };
    begun.current = own;
    setAttempt({ after: cursor, isReading: true, error: null });
    const finish = (error: unknown): void => {
      own.isReading = false;
      setAttempt((now) => (now?.after === cursor ? { after: cursor, isReading: false, error } : now));
    };
    // It may throw at once, too.
    Promise.resolve(cursor)
      .then(readPage)
      .then(({ error }) => finish(error ?? null))
      .catch(finish);
  };

  useEffect(() => {
    if (begun.current?.cursor === cursor) return undefined;
    // A list that is read anew may come to end with a cursor again.
    begun.current = null;
    setAttempt(null);
    return undefined;
  }, [cursor]);
  const newest = useRef(read);
  useEffect(() => {
    newest.current = read;
    return undefined;
  });
  // A page that did not lengthen the list is not read again and again.
  const isIdle = cursor !== null && current === null;
  useEffect(() => {
    if (!isIdle || last === null) return undefined;
    const look = (entries: readonly IntersectionObserverEntry[]): void => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) newest.current(false);
    };
    const observer = new IntersectionObserver(look, { rootMargin: '400px' });
    observer.observe(last);
    return () => observer.disconnect();
  }, [last, isIdle, cursor]);

  return {
    nodes: connection?.edges.flatMap((edge) => edge?.node ?? []) ?? [],
    hasMore: cursor !== null,
    isReading: current?.isReading ?? false,
    error: current?.error ?? null,
    more: () => read(true),
    sentinel: setLast,
  };
}
