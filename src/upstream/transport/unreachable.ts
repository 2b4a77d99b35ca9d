import { errors } from 'undici';

/** Causes that are told apart; further ones are `other`. Node and OpenSSL have some hundred codes, of which one network shows a few. */
const mostCauses = 40;

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
export function unreachableCause(error: unknown): string {
  const refusal = proxyRefusal(error);
  if (refusal !== null) return `PROXY_${refusal}`;
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
  /** In milliseconds. */
  readonly now?: () => number;
}

/** Counts the cause of each failed call, and logs the first of each kind at once and then one a minute. */
export function reportCauses({ count, log, now = () => performance.now() }: CauseReport) {
  const told = new Map<string, { at: number; count: number }>();
  return (operation: string, error: unknown): void => {
    const given = unreachableCause(error);
    const cause = told.has(given) || told.size < mostCauses ? given : 'other';
    count(operation, cause);
    const tally = told.get(cause) ?? { at: -Infinity, count: 0 };
    told.set(cause, tally);
    tally.count++;
    if (now() - tally.at < minuteMs) return;
    log({ cause, operation, count: tally.count });
    Object.assign(tally, { at: now(), count: 0 });
  };
}
