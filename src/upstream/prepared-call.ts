import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { withoutCredential } from './credential.ts';
import type { WaitLimits } from './single-flight.ts';
import type { UpstreamRequest } from './stages/stage.ts';

/** A call that can be sent. */
export interface Prepared {
  readonly key: string;
  readonly caller: Caller;
  /** Relative to the version-2 root, with the query string. */
  readonly path: string;
  /** Names the call among those under way and those kept. */
  readonly flightKey: string;
}

/** Prepares a call; throws UNAUTHENTICATED without a key. */
export function prepare(call: Call<unknown>, caller: Caller): Prepared {
  const { key, identity } = caller;
  if (key === null) throw withoutCredential(caller);
  return { key, caller, path: call.target, flightKey: `${identity} ${call.target}` };
}

/** The request of a call, within these limits. */
export function requestOf(
  { key, caller, path }: Prepared,
  call: Call<unknown>,
  waitLimits: WaitLimits,
  isStreamed: boolean,
): UpstreamRequest {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: call.endpoint.accept,
    'user-agent': 'switchboard',
    'x-request-id': caller.requestId,
  };
  const { identity, trace } = caller;
  const sent = { count: 0, at: undefined };
  if (trace !== undefined) Object.assign(trace, { origin: 'own', sent });
  return { path, headers, identity, signal: waitLimits.signal, call, caller, waitLimits, isStreamed, sent };
}
