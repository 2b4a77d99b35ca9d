import { isIP } from 'node:net';
import { GatewayError } from '../errors.ts';
import type { Handler } from './endpoint.ts';
import type { Origins } from './origins.ts';

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
    const name = nameIn(target);
    return name !== null && (names.has(name) || isLocalName(name) || isIP(name.replaceAll(/[[\]]/g, '')) !== 0);
  };
}

/** The host that a Host header names; null where it is none. What a URL may have besides (`user@localhost`) is none of it. */
function nameIn(target: string): string | null {
  return /[\s@/\\?#]/.test(target) ? null : (URL.parse(`http://${target}`)?.hostname ?? null);
}

function isLocalName(name: string): boolean {
  return /^(?:[^.]+|(?:.+\.)?localhost\.?)$/.test(name);
}

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Refuses a request whose Host is no name of this process. */
export const refuseHost: Handler = () => {
  throw new GatewayError('FORBIDDEN', {
    message: 'The Host of the request is no name of this gateway: PUBLIC_URL and CORS_ORIGINS name further ones.',
  });
};
