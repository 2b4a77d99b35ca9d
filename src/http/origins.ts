import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
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
    // Some proxies name the port of the scheme, which an origin leaves out.
    if (own !== null && /^https?:$/.test(own.protocol) && own.host === urlOf(host ?? '', own.protocol)?.host)
      return true;
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

/** What tells the names of this process. */
export interface HostOptions {
  /** The address at which it listens. */
  readonly host: string;
  readonly publicUrl: string | null;
  /** Origins whose pages may call it. */
  readonly origins: Origins;
}

/** Whether a request with this Host may be meant for this process. */
export type CheckHost = (target: string | undefined) => boolean;

/**
 * Creates the check against pages that make a name of their own lead here (DNS rebinding): a browser sends that name, which no page can
 * change. Addresses are no names, loopback names never lead elsewhere, nobody outside can have a name without a dot, such as that of a
 * container, and whatever sends no Host is no browser.
 */
export function createHostCheck({ host, publicUrl, origins }: HostOptions): CheckHost {
  const urls = [`http://${host}`, ...(publicUrl === null ? [] : [publicUrl]), ...origins];
  const names = new Set(urls.flatMap((url) => (typeof url === 'string' && URL.parse(url)?.hostname) || []));
  return (target) => {
    if (target === undefined) return true;
    const name = urlOf(target, 'http:')?.hostname;
    return name !== undefined && (names.has(name) || isLocalName(name) || isIP(name.replaceAll(/[[\]]/g, '')) !== 0);
  };
}

/** The URL of what a Host header names; null where it names no host. What a URL may have besides (`user@localhost`) is none of it. */
function urlOf(target: string, protocol: string): URL | null {
  return /[\s@/\\?#]/.test(target) ? null : URL.parse(`${protocol}//${target}`);
}

function isLocalName(name: string): boolean {
  return /^(?:[^.]+|(?:.+\.)?localhost\.?)$/.test(name);
}

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
