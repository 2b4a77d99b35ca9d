import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Agent, buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { watched } from './connection.ts';

/** Milliseconds after which calls get new connections, so that they follow a name that has moved to another address. */
const connectionAgeMs = 300_000;

/** Milliseconds after which a changed file of TLS is found. A mounted secret sends no notice of its change. */
const fileCheckMs = 2_000;

/** The proxies of calls by the scheme of the API, and the hosts that are called without one; empty texts where there are none. */
export interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Paths of PEM files; null where there is none. */
export interface TlsFiles {
  /** The authorities of the API's certificate, in place of the usual ones. */
  readonly ca: string | null;
  /** The gateway's own certificate, with those between it and its authority. */
  readonly cert: string | null;
  readonly key: string | null;
}

export interface ConnectionsOptions {
  /** In milliseconds. */
  readonly connectTimeoutMs: number;
  readonly proxies: Proxies | null;
  readonly tls: TlsFiles | null;
  readonly tlsFault: (fault: Error) => void;
}

/** The connections to the API. */
export interface Connections {
  readonly dispatch: (call: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void;
  /** As `dispatch`, for a body that is read as it comes. */
  readonly request: (call: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

/**
 * Opens connections to the API as calls need them, through a proxy where one is set. Every few minutes, and when a file of TLS has
 * changed, new ones take their place; calls that are under way end on theirs. Throws where a file cannot be used.
 */
export function openConnections(options: ConnectionsOptions): Connections {
  const { tls: files, tlsFault } = options;
  let tls: Tls = files === null ? {} : readTls(files);
  let agent = openAgent(tls, options);
  const former = new Set<Dispatcher>();

  function renew(): void {
    const old = agent;
    agent = openAgent(tls, options);
    former.add(old);
    void old.close().finally(() => former.delete(old));
  }

  function readAgain(): void {
    if (files === null) return;
    try {
      tls = readTls(files);
      renew();
    } catch (fault) {
      tlsFault(fault as Error);
    }
  }

  const watchedFiles = Object.values(files ?? {}).filter((file) => file !== null);
  for (const file of watchedFiles) watchFile(file, { interval: fileCheckMs, persistent: false }, readAgain);
  const aging = setInterval(renew, connectionAgeMs).unref();
  return {
    dispatch: (call, handler) => agent.dispatch(call, handler),
    request: (call) => agent.request(call),
    async close() {
      clearInterval(aging);
      for (const file of watchedFiles) unwatchFile(file, readAgain);
      await Promise.all([agent, ...former].map((each) => each.destroy()));
    },
  };
}

/** PEM texts. */
type Tls = Partial<Record<keyof TlsFiles, string>>;

function openAgent(tls: Tls, { connectTimeoutMs, proxies }: ConnectionsOptions): Dispatcher {
  const options = {
    // The bulkhead (stages/bulkhead.ts) decides how many calls go out at once, and is fair to callers.
    connections: null,
    connect: buildConnector({ ...tls, timeout: connectTimeoutMs, allowH2: false }),
    factory: openPool,
    // A call has its connection for itself: one that goes silent takes no other call with it. HTTP/2 would have all calls on one, which
    // a call that is given up leaves open.
    allowH2: false,
    // Each call has timeouts of its own; undici's would be one more object for each, kept for half a second.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxies === null) return new Agent(options);
  // The gateway's certificate and the API's authorities are for the API alone, not for the proxy.
  const requestTls = { ...tls, timeout: connectTimeoutMs };
  // What asks a proxy for a tunnel: it waits for the proxy's word no longer than for a connection.
  const clientFactory = (url: string | URL, proxyOptions: object): Dispatcher =>
    new Pool(new URL(url).origin, { ...proxyOptions, headersTimeout: connectTimeoutMs });
  return new EnvHttpProxyAgent({ ...options, ...proxies, requestTls, clientFactory, connectTimeout: connectTimeoutMs });
}

/** A pool to the API or to a proxy, whose connections are watched. */
function openPool(target: string | URL, options: object): Dispatcher {
  const { connect, ...others } = options as Pool.Options & { readonly connect: buildConnector.connector };
  const { origin } = new URL(target);
  // Asked for at each call, and else put together from its parts each time.
  const url = Object.defineProperty(new URL(origin), 'origin', { value: origin });
  return new Pool(url, { ...others, connect: watched(connect) });
}

/** The texts of the files. Throws an Error that names the variable at fault. */
function readTls({ ca, cert, key }: TlsFiles): Tls {
  const texts = {
    ...(ca !== null && { ca: readPem('UPSTREAM_TLS_CA_FILE', ca, (text) => void new X509Certificate(text)) }),
    ...(cert !== null && { cert: readPem('UPSTREAM_TLS_CERT_FILE', cert, (text) => void new X509Certificate(text)) }),
    ...(key !== null && { key: readPem('UPSTREAM_TLS_KEY_FILE', key, (text) => void createPrivateKey(text)) }),
  };
  try {
    createSecureContext(texts);
  } catch {
    throw new Error('UPSTREAM_TLS_KEY_FILE must be the key of the certificate in UPSTREAM_TLS_CERT_FILE');
  }
  return texts;
}

function readPem(variable: string, path: string, check: (text: string) => void): string {
  try {
    const text = readFileSync(path, 'utf8');
    check(text);
    return text;
  } catch {
    throw new Error(`${variable} must be the path of a PEM file that can be read and used`);
  }
}
