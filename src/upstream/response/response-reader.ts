import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorBody, largeBody } from '../../bounds.ts';
import { GatewayError, type ErrorDetails, type Violation } from '../../errors.ts';
import { badResponse } from './body-reader.ts';
import type { Call } from '../call.ts';
import { isCsvHead, lookAtBeginning, type Begun } from './csv-report.ts';
import { errorOf, reportOf } from './error-reader.ts';
import type { Read } from '../endpoint.ts';
import type { WaitLimits } from '../single-flight.ts';
import type { WireResponse, ResponseHead, StreamedResponse } from './wire-response.ts';

// A large body is parsed apart from receiving it, from what is done with it and from all other large bodies, so that others are
// served between.
let lastTurn = Promise.resolve();

/** Turns of the event loop for whoever asks, one at a time. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** What a call was answered, read at a time that suits the others; throws the failure that the answer stands for. */
export async function readInTurn<Body>(
  response: WireResponse,
  call: Call<Body>,
  read: Read<Body>,
  key: string,
  waitLimits?: WaitLimits,
): Promise<Body> {
  if (response.body.length < largeBody) return readAnswer(response, call, read, key);
  await ownTurn();
  // Nobody waits for it any more.
  if (waitLimits?.signal.aborted === true) throw waitLimits.signal.reason;
  const body = readAnswer(response, call, read, key);
  await nextTurn();
  return body;
}

function readAnswer<Body>(response: WireResponse, call: Call<Body>, read: Read<Body>, key: string): Body {
  const fault = faultOf(response);
  if (fault !== null) throw failureOf(call, response.status, fault);
  if (!isWhole(response)) throw errorOf(response, call, key);
  try {
    return read(response);
  } catch (error) {
    // Its status promised more, but its body may report errors all the same, and knows best what is wrong.
    throw reportOf(response, call, key) ?? failureOf(call, response.status, error, wrongAnswerOf(call));
  }
}

function wrongAnswerOf({ endpoint: { coordinate } }: Call<unknown>): Violation {
  return { coordinate, kind: 'wrong_type' };
}

/** The only status under which the contract has a body: any other success has none, a part of it, or one that somebody changed. */
function isWhole({ status }: ResponseHead): boolean {
  return status === 200;
}

/** What is wrong with an answer that is neither whole nor a failure; null for those. */
function faultOf(response: ResponseHead): GatewayError | null {
  if (isWhole(response) || response.status >= 400) return null;
  return badResponse(response.status < 300 ? 'a whole answer, with status 200,' : 'no redirect');
}

/** The CSV report of a call, its body still to come; throws the failure that an answer which is none stands for. */
export async function readReport(
  streamed: StreamedResponse,
  call: Call<string>,
  key: string,
): Promise<StreamedResponse> {
  const { status, headers } = streamed;
  const told = (error: unknown): unknown => failureOf(call, status, streamed.failureOf(error));
  const fault = faultOf(streamed);
  if (fault !== null) {
    streamed.body.on('error', () => {}).destroy();
    throw failureOf(call, status, fault);
  }
  const begun = await beginningOf(streamed).catch((error: unknown) => Promise.reject(told(error)));
  if (begun.isCsv) return { ...streamed, body: begun.body, failureOf: told };
  const body = await collectBody(begun.body).catch((error: unknown) => Promise.reject(told(error)));
  readAnswer({ status, headers, body }, call, call.endpoint.read, key);
  throw failureOf(call, status, badResponse('CSV text'), wrongAnswerOf(call));
}

async function beginningOf(streamed: StreamedResponse): Promise<Begun> {
  const { body } = streamed;
  return isWhole(streamed) && isCsvHead(streamed) ? lookAtBeginning(body) : { isCsv: false, body };
}

async function collectBody(body: StreamedResponse['body']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > errorBody) break;
  }
  return Buffer.concat(chunks);
}

/** The answer that is waited for; a failure of the wire learns here which operation it belongs to. */
export async function named<A>(call: Call<unknown>, answer: Promise<A>): Promise<A> {
  try {
    return await answer;
  } catch (error) {
    throw failureOf(call, undefined, error);
  }
}

function failureOf(call: Call<unknown>, status: number | undefined, error: unknown, broken?: Violation): unknown {
  if (!(error instanceof GatewayError) || error.upstream !== undefined) return error;
  const upstream = { operation: call.endpoint.name, ...(status !== undefined && { status }) };
  const { message, retryable, retryAfterSeconds, cause, violation = broken } = error;
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
