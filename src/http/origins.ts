import type { IncomingHttpHeaders } from 'node:http';
import { quoteLength } from '../bounds.ts';
import type { Log } from '../telemetry/log.ts';

/** Refused origins that are logged: pages make them up. */
const loggedOrigins = 20;

/** Origins whose pages may call the gateway: as browsers write them, or a form that they have. */
export type Origins = readonly (string | RegExp)[];

// Apps in a web view have a scheme of their own.
const ofThisMachine = /^[a-z][a-z\d+.-]*:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** The origins of `CORS_ORIGINS`. Where it is unset, all of this machine before the sandbox, whose data are nobody's, and else none. */
export function originsOf(given: readonly string[] | null, isSandbox: boolean): Origins {
  return given ?? (isSandbox ? [ofThisMachine] : []);
}

/** Whether an origin is one of some, compared as it was sent. */
export function isAmong(origins: Origins, origin: string): boolean {
  return origins.some((each) => (typeof each === 'string' ? each === origin : each.test(origin)));
}

/** Whether the page that sends a request, if it is one, may read the answer. */
export type CheckOrigin = (headers: IncomingHttpHeaders) => boolean;

/** Creates the check. Pages of the gateway itself may call, by whatever name it is reached. Each origin that is refused is logged once. */
export function createOriginCheck(origins: Origins, publicUrl: string | null, log: Log): CheckOrigin {
  const allowed = publicUrl === null ? origins : [...origins, new URL(publicUrl).origin];
  const refused = new Set<string>();
  return ({ origin, host }) => {
    if (origin === undefined || isAmong(allowed, origin)) return true;
    const own = URL.parse(origin);
    if (own !== null && /^https?:$/.test(own.protocol) && own.host === host?.toLowerCase()) return true;
    if (refused.size < loggedOrigins && !refused.has(origin)) {
      refused.add(origin);
      log.warn(
        { origin: origin.slice(0, quoteLength) },
        'pages of this origin may not call: CORS_ORIGINS does not name it',
      );
    }
    return false;
  };
}
