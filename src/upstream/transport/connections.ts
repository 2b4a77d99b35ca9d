import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Agent, buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher, errors } from 'undici';
import type { Config } from '../../config.ts';

/** Milliseconds after which calls get new connections, so that they follow a name that has moved to another address. */
const connectionAgeMs = 300_000;

/** Milliseconds after which a changed file of TLS is found. A mounted secret sends no notice of its change. */
const fileCheckMs = 2_000;

export type ConnectionsOptions = Pick<
  Config,
  'upstreamConnectTimeoutMs' | 'upstreamTlsCa' | 'upstreamTlsCert' | 'upstreamTlsKey' | 'proxies'
>;

/** The connections to the API. */
export interface Connections {
  /** Those that the next call takes. */
  readonly agent: Dispatcher;
  close(): Promise<void>;
}

/**
 * Opens connections to the API as calls need them, through a proxy where one is set. Every few minutes, and when a file of TLS has
 * changed, new ones take their place; calls that are under way end on theirs. Throws where a file cannot be used; `tlsFault` is told when
 * changed files cannot be: those that were read before stay in use.
 */
export function openConnections(options: ConnectionsOptions, tlsFault: (fault: Error) => void): Connections {
  const { upstreamTlsCa, upstreamTlsCert, upstreamTlsKey } = options;
  const files = [upstreamTlsCa, upstreamTlsCert, upstreamTlsKey].filter((file) => file !== null);
  let agent = openAgent(files.length === 0 ? {} : readTls(options), options);

  function readAgain(): void {
    try {
      const former = agent;
      agent = openAgent(readTls(options), options);
      void former.close();
    } catch (fault) {
      tlsFault(fault as Error);
    }
  }

  for (const file of files) watchFile(file, { interval: fileCheckMs, persistent: false }, readAgain);
  return {
    get agent() {
      return agent;
    },
    async close() {
      for (const file of files) unwatchFile(file, readAgain);
      await agent.destroy();
    },
  };
}

/** PEM texts. */
type Tls = Partial<Record<'ca' | 'cert' | 'key', string>>;

function openAgent(tls: Tls, { upstreamConnectTimeoutMs: timeout, proxies }: ConnectionsOptions): Dispatcher {
  const options = {
    connect: buildConnector({ ...tls, timeout, allowH2: false }),
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
  const requestTls = { ...tls, timeout };
  // What asks a proxy for a tunnel: it waits for the proxy's word no longer than for a connection.
  const clientFactory = (url: string | URL, proxyOptions: object): Dispatcher => {
    const { connect } = proxyOptions as { readonly connect: buildConnector.connector };
    return new Pool(new URL(url).origin, { connect: namedOnly(connect), headersTimeout: timeout });
  };
  return new EnvHttpProxyAgent({ ...options, ...proxies, requestTls, clientFactory, connectTimeout: timeout });
}

/** undici names a proxy that is reached by https even where its name is an address, which TLS does not allow. */
function namedOnly(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(isIP(target.servername ?? '') === 0 ? target : { ...target, servername: '' }, callback);
}

/** A pool to the API or to a proxy, whose connections are watched. */
function openPool(target: string | URL, options: object): Dispatcher {
  const { connect, ...others } = options as Pool.Options & { readonly connect: buildConnector.connector };
  return new Pool(new URL(target).origin, {
    ...others,
    clientTtl: connectionAgeMs,
    connect: watched(namedOnly(connect)),
  });
}

/** The texts of the files. Throws an Error that names the variable at fault. */
function readTls({ upstreamTlsCa: ca, upstreamTlsCert: cert, upstreamTlsKey: key }: ConnectionsOptions): Tls {
  const texts = {
    ...(ca !== null && { ca: readPem('UPSTREAM_TLS_CA_FILE', ca, (text) => void new X509Certificate(text)) }),
    ...(cert !== null && {
      cert: readPem('UPSTREAM_TLS_CERT_FILE', cert, (text) => void createSecureContext({ cert: text })),
    }),
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

/** The failures of connections that had served a response before, and on which nothing had come back this time. */
const staleFailures = new WeakSet<object>();

/** Whether an error ended a connection that the server had closed while it was idle, so that the request may never have been seen. */
export function isStale(error: object): boolean {
  return staleFailures.has(error);
}

/**
 * Watches the connections that `connect` opens, itself or through a proxy. What undici does not do is done to their bytes: it ends a
 * connection at `100 Continue`, and passes over `102 Processing`, so it is shown the latter. It does not tell either whether a connection
 * that failed had been used before.
 */
function watched(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...result) => {
      const [, socket] = result as readonly [unknown, (Socket | null)?];
      if (socket != null) watch(socket);
      callback(...result);
    });
  };
}

function watch(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  /** The bytes that had come before the latest request. */
  let bytesBefore = 0;
  /** Whether what comes next is a response from its beginning. */
  let isAtHead = false;

  socket.write = function (...given: readonly unknown[]) {
    bytesBefore = socket.bytesRead;
    isAtHead = true;
    return write(...(given as Parameters<typeof write>));
  };
  socket.read = function (size?: number) {
    const chunk = read(size) as Buffer | null;
    if (isAtHead && chunk !== null) isAtHead = passContinue(chunk);
    return chunk;
  };
  socket.on('error', (error) => {
    if (bytesBefore > 0 && socket.bytesRead === bytesBefore) staleFailures.add(error);
  });
}

/** Turns each status 100 before a response into 102. False once the response itself has begun. Servers send such heads whole. */
function passContinue(chunk: Buffer): boolean {
  let at = 0;
  while (chunk.toString('latin1', at, at + 10) === 'HTTP/1.1 1') {
    if (chunk.toString('latin1', at + 10, at + 12) === '00') chunk.write('2', at + 11);
    at = chunk.indexOf('\r\n\r\n', at) + 4;
  }
  return at === chunk.length;
}

const minuteMs = 60_000;

/** What undici calls a cause, in the system's words. */
const renamed: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_SOCKET: 'ECONNRESET',
  // The API's own headers have the time-out of the call.
  UND_ERR_HEADERS_TIMEOUT: 'PROXY_TIMEOUT',
  UND_ERR_PRX_CONN: 'PROXY_CONNECTION',
  UND_ERR_PRX_TLS: 'PROXY_CERTIFICATE',
};

// OpenSSL's reasons not to trust a certificate, by Node's names, and the alerts of a server that does not trust ours.
const certificates =
  /^(?:ERR_(?:SSL|TLS)_\w*(?:CERT|UNKNOWN_CA|HANDSHAKE_FAILURE)\w*|\w*(?:CERT|CRL|LEAF_SIGNATURE)\w*|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

/** Why the API could not be reached: a code such as `ENOTFOUND` or `CERT_HAS_EXPIRED`, or the status with which a proxy has refused. */
function unreachableCause(error: unknown): string {
  const refusal = proxyRefusal(error);
  if (refusal !== null) return `PROXY_${refusal}`;
  // What has come is no HTTP.
  if (error instanceof errors.HTTPParserError) return 'EPROTO';
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = inner(at), depth++) {
    const { code } = at as { readonly code?: unknown };
    // A name that a system gives; it quotes nothing.
    if (typeof code === 'string' && /^[A-Z][A-Z\d_/]{1,60}$/.test(code)) return renamed[code] ?? code.replace('/', '_');
  }
  return 'other';
}

/** The status with which a proxy has refused a call; null for any other error. undici tells it in words only. */
export function proxyRefusal(error: unknown): string | null {
  if (!(error instanceof errors.RequestAbortedError || error instanceof errors.InvalidArgumentError)) return null;
  return /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(error.message)?.[1] ?? null;
}

/** Whether one side does not trust the other's certificate: the next call will find the same. */
export function isOfCertificate(error: unknown): boolean {
  const cause = unreachableCause(error);
  return cause === 'PROXY_CERTIFICATE' || certificates.test(cause);
}

/** All addresses of a name were tried where there are several: the first of their failures tells why. */
function inner(error: Error): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error.cause;
}

/** What is told of causes: each counts, and those that are due are logged with how many there were since. */
export interface CauseReport {
  readonly count: (operation: string, cause: string) => void;
  readonly log: (fields: { readonly cause: string; readonly operation: string; readonly count: number }) => void;
}

/**
 * Counts the cause of each failed call, and logs the first of each kind at once and then one a minute. Node and OpenSSL have some hundred
 * codes, of which one network shows a few.
 */
export function reportCauses({ count, log }: CauseReport) {
  const told = new Map<string, { at: number; count: number }>();
  return (operation: string, error: unknown): void => {
    const cause = unreachableCause(error);
    count(operation, cause);
    const tally = told.get(cause) ?? { at: -Infinity, count: 0 };
    told.set(cause, tally);
    tally.count++;
    const now = performance.now();
    if (now - tally.at < minuteMs) return;
    log({ cause, operation, count: tally.count });
    Object.assign(tally, { at: now, count: 0 });
  };
}
