import { PassThrough, pipeline } from 'node:stream';
import { interimResponses } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { runAfter } from '../../timeouts.ts';
import {
  StaleConnectionError,
  type StreamedResponse,
  type WireRequest,
  type WireResponse,
} from '../response/wire-response.ts';
import {
  ResponseCollector,
  type CollectorOptions,
  abortReason,
  gatewayErrorOf,
  unansweredError,
} from './response-collector.ts';
import { openConnections, type Proxies, type TlsFiles } from './connections.ts';

/** The bounds of every call. */
export interface TransportOptions extends CollectorOptions {
  /** In milliseconds. */
  readonly connectTimeoutMs: number;
  /** Absent: calls go to the API itself. */
  readonly proxies?: Proxies | null;
  /** Absent: the usual authorities, and no certificate of our own. */
  readonly tls?: TlsFiles | null;
  /** Told when changed files cannot be used: those that were read before stay in use. */
  readonly tlsFault?: (fault: Error) => void;
}

/** Sends calls to the upstream. */
export interface Transport {
  /** Reads the whole body. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE or UPSTREAM_BAD_RESPONSE (not HTTP at all). */
  readonly collect: (request: WireRequest) => Promise<WireResponse>;
  /**
   * Hands the body over as it comes, at the pace of its reader. The time-out holds for the headers, for each pause of the
   * upstream, and for the whole body of a response that is no success.
   */
  readonly stream: (request: WireRequest) => Promise<StreamedResponse>;
  close(): Promise<void>;
}

/**
 * Bytes of a streamed body that wait for its reader. Each chunk takes two hundred bytes beside its own: of a body that comes byte by byte
 * three megabytes wait.
 */
const streamedAhead = 16_384;

// A server closes its idle connections at one moment, of which a call may meet several.
const staleConnections = 10;

/** Sends a call again whose connection turned out to be closed: nobody has seen it. */
async function overStale<Response>(send: () => Promise<Response>): Promise<Response> {
  for (let again = staleConnections; ; again--) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof StaleConnectionError) || again === 0) throw error;
    }
  }
}

/** Calls over undici. Redirects are not followed: the caller's key goes to the configured origin alone. */
export function createTransport(baseUrl: string, limits: TransportOptions): Transport {
  const { timeoutMs } = limits;
  const stallMs = Math.min(limits.stallTimeoutMs, timeoutMs);
  const collected = { ...limits, stallTimeoutMs: stallMs };
  const { origin, pathname } = new URL(baseUrl);
  const root = pathname.replace(/\/$/, '');
  const connections = openConnections({
    connectTimeoutMs: Math.min(limits.connectTimeoutMs, timeoutMs),
    proxies: limits.proxies ?? null,
    tls: limits.tls ?? null,
    tlsFault: limits.tlsFault ?? (() => {}),
  });
  const optionsOf = ({ path, headers }: WireRequest) => ({
    origin,
    path: root + path,
    method: 'GET' as const,
    headers,
  });

  return {
    collect: (request) => overStale(() => collectOnce(request)),
    stream: (request) => overStale(() => streamOnce(request)),
    close: () => connections.close(),
  };

  function collectOnce(request: WireRequest): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      if (request.signal.aborted) reject(abortReason(request.signal));
      else connections.dispatch(optionsOf(request), new ResponseCollector(request, collected, resolve, reject));
    });
  }

  async function streamOnce(request: WireRequest): Promise<StreamedResponse> {
    const { signal } = request;
    if (signal.aborted) throw abortReason(signal);
    const call = new AbortController();
    const abort = (): void => call.abort(abortReason(signal));
    const noTimeout = runAfter(timeoutMs, () => call.abort(new GatewayError('UPSTREAM_TIMEOUT')));
    const settle = (): void => {
      noTimeout();
      signal.removeEventListener('abort', abort);
    };
    const failureOf = (error: unknown): unknown => (signal.aborted ? error : gatewayErrorOf(error));
    let interim = 0;
    const countInterim = (): void => {
      if (++interim > interimResponses) call.abort(new GatewayError('UPSTREAM_BAD_RESPONSE'));
    };
    signal.addEventListener('abort', abort);
    try {
      const {
        statusCode: status,
        headers,
        ...response
      } = await connections.request({
        ...optionsOf(request),
        bodyTimeout: stallMs,
        highWaterMark: streamedAhead,
        signal: call.signal,
        onInfo: countInterim,
      });
      if (status < 300) noTimeout();
      // A body of undici's fails when its reader leaves; this one ends, and ends the call.
      const body = pipeline(response.body, new PassThrough(), settle);
      return {
        status,
        headers,
        body,
        failureOf,
        discard: () => body.destroy(),
        whenClosed: (run) => (body.closed ? run() : body.once('close', run)),
      };
    } catch (error) {
      settle();
      throw unansweredError(failureOf(error), error);
    }
  }
}
