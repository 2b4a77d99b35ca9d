import type { IncomingHttpHeaders } from 'node:http';

/** Where requests may be addressed to, and from which pages they may come. */
export interface GuardOptions {
  /** The address at which the process listens. */
  readonly host: string;
  readonly publicUrl: string | null;
  readonly corsOrigins: readonly string[] | null;
}

/** Returns why a request must not be served; null where it may. */
export type RequestGuard = (headers: Pick<IncomingHttpHeaders, 'host' | 'origin'>) => string | null;

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests that a page has made a browser send by DNS rebinding (MCP, "Streamable HTTP", security warning). A process
 * that listens everywhere and knows no PUBLIC_URL cannot tell its hosts, and only looks at the origin.
 */
export function createRequestGuard({ host, publicUrl, corsOrigins }: GuardOptions): RequestGuard {
  const hosts = [...(publicUrl === null ? [] : [new URL(publicUrl).hostname]), ...(isLoopback(host) ? loopback : [])];
  const origins = new Set(corsOrigins);
  return ({ host: target, origin }) => {
    if (hosts.length > 0 && !isAt(`http://${target ?? ''}`, hosts))
      return 'The Host of the request is not this gateway.';
    if (origin === undefined || origin === '' || origins.has(origin) || isAt(origin, hosts)) return null;
    return 'The Origin of the request may not use these tools.';
  };
}

function isAt(url: string, hosts: readonly string[]): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && hosts.includes(parsed.hostname);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
