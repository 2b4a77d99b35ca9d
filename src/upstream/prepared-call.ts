import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { withoutCredential } from './credential.ts';
import type { UpstreamRequest } from './stages/stage.ts';

/** A call that is ready to be sent. */
export interface Prepared {
  readonly key: string;
  readonly request: UpstreamRequest;
  /** Names the call among those under way and those kept. */
  readonly flightKey: string;
}

/** Makes a call ready; throws UNAUTHENTICATED without a key. */
export function prepare(call: Call<unknown>, caller: Caller): Prepared {
  const { key, identity, signal, requestId } = caller;
  if (key === null) throw withoutCredential(caller);
  const path = call.queryString === '' ? call.path : `${call.path}?${call.queryString}`;
  const headers = {
    authorization: `Bearer ${key}`,
    accept: call.endpoint.accept,
    'user-agent': 'switchboard',
    'x-request-id': requestId,
  };
  const request = {
    path,
    headers,
    identity,
    signal,
    call,
    caller,
    waitLimits: caller,
    isStreamed: false,
    sent: { count: 0 },
  };
  return { key, request, flightKey: `${identity} ${path}` };
}
