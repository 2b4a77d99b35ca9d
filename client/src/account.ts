import { headersOf, type Access } from './http.ts';

/** Who follows, and what says so to the gateway. */
export interface Follower extends Access {
  /**
   * Tells whose deliveries they are, for example by the id of a user; null where nobody is signed in. It is asked before each connection,
   * and a feed whose account has changed ends.
   */
  readonly account?: () => string | null | Promise<string | null>;
}

/** Whether a follower is the same, with the same key, at each connection. */
export function isFixed({ headers, account }: Follower): boolean {
  return typeof headers !== 'function' && account === undefined;
}

/** The caller of one connection. */
export interface Caller {
  /** Undefined where nobody tells it. */
  readonly account: string | null | undefined;
  readonly headers: Headers;
}

/** Asks who follows now, and what says so: once for each connection, so that no other account can come in between. */
export async function callerOf(follower: Follower): Promise<Caller> {
  const account = await follower.account?.();
  return { account, headers: await headersOf(follower) };
}

/** Tells callers apart: by their account, or else by a key and all that is sent beside it. Null if only a cookie may tell, or nothing. */
export function identityOf({ account, headers }: Caller): string | null {
  if (account !== undefined) return account === null ? null : `account ${account}`;
  // Other schemes may let a whole team in, such as the password of a page that is being tested.
  const hasKey = /^bearer ./i.test(headers.get('authorization') ?? '');
  return hasKey ? JSON.stringify([...headers]) : null;
}
