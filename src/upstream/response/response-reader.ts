import { setImmediate as nextTick } from 'node:timers/promises';
import { largeBody } from '../../bounds.ts';
import type { CancelSignal } from '../../cancellation.ts';
import { GatewayError, type ErrorDetails, type Violation } from '../../errors.ts';
import type { Call } from '../call.ts';
import type { Read } from '../endpoint.ts';
import { badResponse } from './body-reader.ts';
import { errorOf, reportedErrorOf } from './error-reader.ts';
import { parseInSlices } from './sliced-report.ts';
import type { ResponseHead, WireResponse } from './wire-response.ts';
import { YoungObjects } from './young-objects.ts';

/** Reads whole responses, the large ones one at a time. */
export interface ResponseReader {
  /** The body that `read` makes of a response; throws the failure that the response stands for, or the reason of the signal. */
  read<Body>(
    response: WireResponse,
    call: Call<Body>,
    read: Read<Body>,
    key: string,
    signal?: CancelSignal,
  ): Promise<Body>;
}

/** Each large body is parsed in a tick of its own, apart from receiving it and from what follows: others are served between. */
export function createResponseReader(young: Pick<YoungObjects, 'collectSooner'> = new YoungObjects()): ResponseReader {
  let lastTick = Promise.resolve();

  function ownTick(): Promise<void> {
    lastTick = lastTick.then(() => nextTick());
    return lastTick;
  }

  /** A response whose body has been parsed, where it can be parsed in slices. */
  async function withParsedList(response: WireResponse, { endpoint }: Call<unknown>, signal?: CancelSignal) {
    if (endpoint.longList === undefined || !isWhole(response)) return response;
    const rest = async (): Promise<void> => {
      young.collectSooner();
      await ownTick();
      if (signal?.aborted === true) throw signal.reason;
    };
    const json = await parseInSlices(await response.body.gather(rest), endpoint.longList, rest);
    return json === undefined ? response : { ...response, json };
  }

  return {
    async read(response, call, read, key, signal) {
      if (response.body.length < largeBody) return readResponse(response, call, read, key);
      await ownTick();
      if (signal?.aborted === true) throw signal.reason;
      const body = readResponse(await withParsedList(response, call, signal), call, read, key);
      await nextTick();
      return body;
    },
  };
}

/** The body of a response; throws the failure that the response stands for. */
export function readResponse<Body>(response: WireResponse, call: Call<Body>, read: Read<Body>, key: string): Body {
  const fault = faultOf(response);
  if (fault !== null) throw failureAt(call, response.status, fault);
  if (!isWhole(response)) throw errorOf(response, call, key);
  try {
    return read(response);
  } catch (error) {
    // The status promised more, but the body may report errors all the same, and knows best what is wrong.
    throw reportedErrorOf(response, call, key) ?? failureAt(call, response.status, error, wrongTypeOf(call));
  }
}

/** The contract has a body under this status alone: any other success has none, a part of it, or a changed one. */
export function isWhole({ status }: ResponseHead): boolean {
  return status === 200;
}

/** What is wrong with a response that is neither whole nor a failure; null for those. */
export function faultOf(response: ResponseHead): GatewayError | null {
  if (isWhole(response) || response.status >= 400) return null;
  return badResponse(response.status < 300 ? 'a whole answer, with status 200,' : 'no redirect');
}

/** The violation of an endpoint whose response has another type than its contract promises. */
export function wrongTypeOf({ endpoint: { coordinate } }: Call<unknown>): Violation {
  return { coordinate, kind: 'wrong_type' };
}

/** A failure with the endpoint and the status of its call, where it has none yet. */
export function failureAt(
  call: Call<unknown>,
  status: number | undefined,
  error: unknown,
  violationOfCall?: Violation,
): unknown {
  if (!(error instanceof GatewayError) || error.upstream !== undefined) return error;
  const upstream = { operation: call.endpoint.name, ...(status !== undefined && { status }) };
  const { message, retryable, retryAfterSeconds, cause, violation = violationOfCall } = error;
  const details: ErrorDetails = {
    message,
    retryable,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(violation !== undefined && { violation }),
    upstream,
    cause,
  };
  return new GatewayError(error.code, details);
}
