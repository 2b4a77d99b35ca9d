import { BodyChunks } from '../../body-chunks.ts';
import { largeBody } from '../../bounds.ts';
import type { CancelSignal } from '../../cancellation.ts';
import { GatewayError, type Violation } from '../../errors.ts';
import { WorkSlices } from '../../time-slices.ts';
import type { Call } from '../call.ts';
import type { Endpoint, Read } from '../endpoint.ts';
import { badResponse } from './body-reader.ts';
import { CsvDecoder, decodedBody, isCsvHead, lookAtBeginning, type Begun } from './csv-report.ts';
import { errorOf, reportedErrorOf } from './error-reader.ts';
import { readJsonInSlices } from './json-reader.ts';
import { textInSlices, ReceivedBody } from './received-body.ts';
import { codingOf, type ResponseHead, type WireResponse, type StreamedResponse } from './wire-response.ts';

/** Bytes of an error body of a streamed response; a longer one is cut. Errors of the API have some hundred bytes. */
const errorBody = 1_048_576;

/** What stands around records: envelopes of rows, pages and errors, and what identifies any of them. */
const commonNames =
  'data meta total_results total_pages page_number page_size then id errors detail code title source parameter pointer url loc msg type';

/**
 * Creates the reader of whole responses, which reads the large ones in slices of time. It returns the body that `read` makes of a response,
 * or throws the failure that the response stands for, or the reason of the signal. `names` are those that anybody looks for in a record;
 * null: any.
 */
export function createResponseReader(names: ReadonlySet<string> | null = null) {
  const known = names && new Set([...names, ...commonNames.split(' ')]);
  return async <Body>(
    response: WireResponse,
    call: Call<Body>,
    read: Read<Body>,
    key: string,
    signal?: CancelSignal,
  ): Promise<Body> => {
    if (response.body.length < largeBody || faultOf(response) !== null) return readResponse(response, call, read, key);
    const slices = new WorkSlices(signal);
    await slices.rest();
    const body = readResponse(await inSlices(response, call.endpoint, slices, known), call, read, key);
    await slices.rest();
    return body;
  };
}

/** A large response whose body has been read, as JSON or as text. */
async function inSlices(
  response: WireResponse,
  { accept, freeForm }: Endpoint<unknown>,
  slices: WorkSlices,
  names: ReadonlySet<string> | null,
): Promise<WireResponse> {
  const bytes = await response.body.gather(slices);
  if (accept === 'text/csv' && isWhole(response) && isCsvHead(response)) {
    const decoder = new CsvDecoder(response);
    const decode = (piece: Buffer, isLast: boolean): string => decoder.decode(piece, isLast);
    const text = await textInSlices(bytes, slices, decode).catch(givenUp);
    return { ...response, ...(text !== null && { text }) };
  }
  try {
    const value = await readJsonInSlices(bytes, slices, { freeForm, names });
    return { ...response, json: () => value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {
      ...response,
      json: () => {
        throw error;
      },
    };
  }
}

/** A text that cannot be decoded is left to whoever reads the response. */
function givenUp(error: unknown): null {
  if (error instanceof GatewayError) return null;
  throw error;
}

/** The body of a response; throws the failure that the response stands for. */
function readResponse<Body>(response: WireResponse, call: Call<Body>, read: Read<Body>, key: string): Body {
  const fault = faultOf(response);
  if (fault !== null) throw reportedUnder(response, call, key) ?? failureAt(call, response.status, fault);
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

/** The errors in a success that is no whole one: they know best what is wrong. */
function reportedUnder(response: WireResponse, call: Call<unknown>, key: string) {
  return mayReport(response) ? reportedErrorOf(response, call, key) : null;
}

/** Whether the body of a response that is not whole may report errors. */
function mayReport(response: ResponseHead): boolean {
  return response.status < 300 && codingOf(response) === undefined;
}

/** Only such a body is waited for, of a stream that is no report. */
function isJson({ headers }: ResponseHead): boolean {
  return /\bjson\b/i.test(String(headers['content-type'] ?? ''));
}

/** Whether a response has the body that the contract promises, as bytes that can be read. */
export function isReadable(response: ResponseHead): boolean {
  return isWhole(response) && codingOf(response) === undefined;
}

/** What is wrong with a response that is neither whole nor a failure; null for those. Of a failure the status tells enough. */
export function faultOf(response: ResponseHead): GatewayError | null {
  if (response.status >= 400) return null;
  const coding = codingOf(response);
  if (coding !== undefined) return codedResponse(coding);
  if (isWhole(response)) return null;
  return badResponse(response.status < 300 ? 'a whole answer, with status 200,' : 'no redirect');
}

function codedResponse(coding: string | null): GatewayError {
  const named = coding === null ? 'a coding' : `the coding "${coding}"`;
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's answer came with ${named}, although the gateway asks for none (Accept-Encoding: identity).`,
  });
}

/** The violation of an endpoint whose response has another type than its contract promises. */
function wrongTypeOf({ endpoint: { coordinate } }: Call<unknown>): Violation {
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
  return error.withUpstream(upstream, error.violation ?? violationOfCall);
}

/** The CSV report of a call, its body still to come; throws the failure that a response without a report stands for. */
export async function readReport(
  streamed: StreamedResponse,
  call: Call<string>,
  key: string,
): Promise<StreamedResponse> {
  const { status, headers } = streamed;
  const failureOf = (error: unknown): unknown => failureAt(call, status, streamed.failureOf(error));
  const fault = faultOf(streamed);
  if (fault !== null && !(mayReport(streamed) && isJson(streamed))) {
    streamed.body.on('error', () => {}).destroy();
    throw failureAt(call, status, fault);
  }
  const begun = await beginningOf(streamed).catch((error: unknown) => Promise.reject(failureOf(error)));
  if (begun.isCsv) return { ...streamed, body: begun.body, failureOf };
  const body = await collectBody(begun.body).catch((error: unknown) => Promise.reject(failureOf(error)));
  readResponse({ status, headers, body: new ReceivedBody([body]) }, call, call.endpoint.read, key);
  throw failureAt(call, status, badResponse('CSV text'), wrongTypeOf(call));
}

async function beginningOf(streamed: StreamedResponse): Promise<Begun> {
  const { body } = streamed;
  return isWhole(streamed) && isCsvHead(streamed) ? lookAtBeginning(decodedBody(streamed)) : { isCsv: false, body };
}

async function collectBody(body: StreamedResponse['body']): Promise<Buffer> {
  const chunks = new BodyChunks();
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.add(chunk);
    length += chunk.length;
    if (length > errorBody) break;
  }
  return chunks.whole;
}
