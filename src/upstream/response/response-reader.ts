import { BodyChunks } from '../../body-chunks.ts';
import { largeBody, errorsPerResponse } from '../../bounds.ts';
import type { CancelSignal } from '../../cancellation.ts';
import {
  GatewayError,
  type Violation,
  GatewayErrors,
  type ErrorCode,
  type UpstreamFault,
  type ErrorDetails,
} from '../../errors.ts';
import {
  hasLongInteger,
  hasUnsafeNumber,
  isJsonObject,
  type JsonObject,
  numberOf,
  parseJson,
  withoutByteOrderMark,
} from '../../json.ts';
import { WorkSlices } from '../../time-slices.ts';
import { type Call, sourceTokens } from '../call.ts';
import { withoutKey } from '../credential.ts';
import { badResponse, errorsIn } from './envelope.ts';
import { csvIn, decodedBody, isCsvHead, lookAtBeginning, type Begun } from './csv-report.ts';
import { readJson, readJsonInSlices } from './json-reader.ts';
import { waitIn } from './rate-limit-fields.ts';
import { codingOf, textOf, type ResponseHead, type WireResponse, type StreamedResponse } from './wire-response.ts';

/** Bytes of an error body of a streamed response; a longer one is cut. Errors of the API have some hundred bytes. */
const errorBody = 1_048_576;

/**
 * Reads a whole response, a large one in slices of time: the body that the endpoint makes of it. Throws the failure that the response
 * stands for. Free-form objects are `FreeFormText` in a large body, and where a double might not hold all
 * numbers; all other numbers are doubles, which the schema's types need.
 */
export async function readInTurn<Body>(
  response: WireResponse,
  call: Call<Body>,
  key: string,
  signal?: CancelSignal,
): Promise<Body> {
  const { accept, freeForm, read } = call.endpoint;
  const { status, body } = response;
  const fault = faultOf(response);
  if (fault !== null) throw failureAt(call, status, fault);
  const slices = body.length >= largeBody ? new WorkSlices(signal) : null;
  let failure: unknown = isWhole(response) ? null : gatewayError({ response, call, key }, {}, []);
  let content: unknown;
  try {
    if (slices !== null) await slices.rest();
    const csv = failure === null && accept === 'text/csv' ? await csvIn(response, slices) : undefined;
    if (csv === null) failure = badResponse('CSV text');
    content = csv ?? (await jsonIn(body, freeForm, slices));
    if (failure === null) {
      const value = read(content);
      if (slices !== null) await slices.rest();
      return value;
    }
  } catch (error) {
    failure ??= error;
  }
  // The body knows best what is wrong.
  const told = slices === null ? tolerantJsonIn(body) : content;
  throw reportedErrorOf(told, { response, call, key }) ?? failureAt(call, status, failure, 'wrong_type');
}

/** What a body holds as JSON; throws UPSTREAM_BAD_RESPONSE. */
async function jsonIn(body: BodyChunks, freeForm: string | undefined, slices: WorkSlices | null): Promise<unknown> {
  try {
    if (slices !== null) return await readJsonInSlices(await body.gather(slices), slices, { freeForm });
    const text = textOf(body.whole);
    const isSafe = freeForm === undefined ? !hasLongInteger(text) : !hasUnsafeNumber(text);
    return isSafe ? parseJson(text) : readJson(body.whole, { freeForm });
  } catch (error) {
    // Not even as a cause: a SyntaxError quotes the text that it failed on.
    throw error instanceof GatewayError ? error : badResponse('JSON');
  }
}

/** As `jsonIn`, with halves of characters in texts, and null for no JSON. */
function tolerantJsonIn({ whole }: BodyChunks): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(textOf(whole)));
  } catch {
    return null;
  }
}

/** The contract has a body under this status alone: any other success has none, a part of it, or a changed one. */
export function isWhole({ status }: ResponseHead): boolean {
  return status === 200;
}

/** Whether a response has the body that the contract promises, as bytes that can be read. */
export function isReadable(response: ResponseHead): boolean {
  return isWhole(response) && codingOf(response) === undefined;
}

/** What is wrong with a response that is neither whole nor a failure; null for those. Of a failure the status tells enough. */
export function faultOf(response: ResponseHead): GatewayError | null {
  if (response.status >= 400) return null;
  const coding = codingOf(response);
  if (coding === undefined && isWhole(response)) return null;
  if (coding === undefined)
    return badResponse(response.status < 300 ? 'a whole answer, with status 200,' : 'no redirect');
  const named = coding === null ? 'a coding' : `the coding "${coding}"`;
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's answer came with ${named}, although the gateway asks for none (Accept-Encoding: identity).`,
  });
}

/** A failure with the endpoint and the status of its call, and the kind of violation that it is by its endpoint, where it has none yet. */
export function failureAt(
  call: Call<unknown>,
  status: number | undefined,
  error: unknown,
  kind?: Violation['kind'],
): unknown {
  if (!(error instanceof GatewayError) || error.details.upstream !== undefined) return error;
  const upstream = { operation: call.endpoint.name, ...(status !== undefined && { status }) };
  const { coordinate } = call.endpoint;
  return error.with({ upstream, violation: error.details.violation ?? (kind && { coordinate, kind }) });
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
  if (fault !== null) {
    streamed.body.on('error', () => {}).destroy();
    throw failureAt(call, status, fault);
  }
  const begun = await beginningOf(streamed).catch((error: unknown) => Promise.reject(failureOf(error)));
  if (begun.isCsv) {
    streamed.liftTimeout();
    return { ...streamed, body: begun.body, failureOf };
  }
  const body = await collectBody(begun.body).catch((error: unknown) => Promise.reject(failureOf(error)));
  await readInTurn({ status, headers, body }, call, key);
  throw failureAt(call, status, badResponse('CSV text'), 'wrong_type');
}

async function beginningOf(streamed: StreamedResponse): Promise<Begun> {
  const { body } = streamed;
  return isWhole(streamed) && isCsvHead(streamed) ? lookAtBeginning(decodedBody(streamed)) : { isCsv: false, body };
}

async function collectBody(body: StreamedResponse['body']): Promise<BodyChunks> {
  const chunks = new BodyChunks();
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.add(chunk);
    if (chunks.length > errorBody) break;
  }
  return chunks;
}

/** Characters of one text of the API's errors that are shown: its longest are some sentences. */
const upstreamTextLength = 1_000;

// A map, because the upstream chooses the key: an object would know a code named "constructor".
const codes: ReadonlyMap<string, ErrorCode> = new Map([
  ['10007', 'UPSTREAM_ERROR'],
  ['10009', 'UNAUTHENTICATED'],
  ['10010', 'FORBIDDEN'],
  ['10011', 'RATE_LIMITED'],
  ['10015', 'BAD_USER_INPUT'],
  ['10027', 'UNPROCESSABLE_ENTITY'],
]);

const statuses: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'RATE_LIMITED',
};

/** A failed response. */
interface Failure {
  readonly response: WireResponse;
  readonly call: Call<unknown>;
  readonly key: string;
}

/**
 * The failure that a response's body reports, in one of two dialects (REST contract, "Errors"); null where it reports none. A known code
 * decides what the failure is; otherwise the status does. Texts are cut to a bearable length, and the caller's key is taken out of them.
 */
function reportedErrorOf(body: unknown, failure: Failure): GatewayError | GatewayErrors | null {
  const { dialect, entries } = errorsIn(isJsonObject(body) ? body : {});
  const read = dialect === 'errors' ? envelopeError : validationError;
  const errors = entries.slice(0, errorsPerResponse).map((entry) => read(entry, failure));
  const [first = null] = errors;
  return errors.length > 1 ? new GatewayErrors(errors, entries.length - errors.length) : first;
}

const errorCode = /^\d{5}$/;

/** An entry that is no object is a code or a text. */
function envelopeError(given: unknown, failure: Failure): GatewayError {
  const plain = numberOf(given) ?? given;
  const entry = isJsonObject(given) ? given : { [errorCode.test(String(plain)) ? 'code' : 'detail']: plain };
  const { key } = failure;
  const texts = shownTexts(entry, ['code', 'title', 'detail'], key);
  const source = shownTexts(entry['source'], ['parameter', 'pointer'], key);
  const { url } = shownTexts(entry['meta'], ['url'], key);
  const sources = [sourceTokens(percentDecoded(source.parameter ?? '')), pointerTokens(source.pointer ?? '')];
  const fault = {
    ...texts,
    ...(Object.keys(source).length > 0 && { source }),
    ...(url !== undefined && { meta: { url } }),
  };
  return gatewayError(failure, fault, sources, codes.get(texts.code ?? ''));
}

function validationError(given: unknown, failure: Failure): GatewayError {
  const { type: title, msg: detail, loc } = isJsonObject(given) ? given : {};
  const texts = shownTexts({ title, detail }, ['title', 'detail'], failure.key);
  return gatewayError(failure, texts, [locTokens(loc)], 'BAD_USER_INPUT');
}

/** Of the members of these names the texts that can be shown. */
function shownTexts<Name extends string>(
  from: unknown,
  names: readonly Name[],
  key: string,
): { [name in Name]?: string } {
  const texts: { [name in Name]?: string } = {};
  for (const name of isJsonObject(from) ? names : []) {
    const value = (from as JsonObject)[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && text !== '') texts[name] = withoutKey(text.toWellFormed(), key, upstreamTextLength);
  }
  return texts;
}

function gatewayError(
  { response, call }: Failure,
  fault: Omit<UpstreamFault, 'operation' | 'status'>,
  sources: Sources,
  known?: ErrorCode,
): GatewayError {
  const { status } = response;
  const code = known ?? statuses[status] ?? 'UPSTREAM_ERROR';
  const message = fault.detail ?? fault.title;
  const wait = code === 'RATE_LIMITED' ? waitIn(response, true) : undefined;
  const details = {
    ...(message !== undefined && { message }),
    ...(code === 'UPSTREAM_ERROR' && { retryable: status >= 500 }),
    ...(wait !== undefined && { retryAfterSeconds: Math.ceil(wait / 1000) }),
    upstream: { operation: call.endpoint.name, status, ...fault },
  };
  return new ReportedError(code, details, sources);
}

/** The places to which an error's body points, by their names; the most reliable comes first. */
type Sources = readonly (readonly string[])[];

/** An error that a response's body reports: callers who share it may have given different arguments for one parameter. */
class ReportedError extends GatewayError {
  readonly sources: Sources;

  constructor(code: ErrorCode, details: ErrorDetails, sources: Sources) {
    super(code, details);
    this.sources = sources;
  }
}

/** A failure as it is for one of the calls that share its response: with the argument to which its first traceable source points. */
export function failureFor(call: Call<unknown>, failure: unknown): unknown {
  if (failure instanceof GatewayErrors) {
    const errors = failure.errors.map((error) => failureFor(call, error) as GatewayError);
    return new GatewayErrors(errors, failure.more);
  }
  if (!(failure instanceof ReportedError)) return failure;
  const argument = failure.sources.map(call.traceArgument).find((traced) => traced !== undefined);
  return argument === undefined ? failure : failure.with({ argument });
}

/** RFC 6901: `/filter/connection_name~1x` → `["filter", "connection_name/x"]`; also as a URI fragment (section 6). */
function pointerTokens(pointer: string): readonly string[] {
  const plain = pointer.startsWith('#') ? percentDecoded(pointer.slice(1)) : pointer;
  const tokens = plain.split('/').slice(1);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')).flatMap(sourceTokens);
}

/** `["query", "page[size]", 0]` → `["page", "size"]`. */
function locTokens(loc: unknown): readonly string[] {
  if (!Array.isArray(loc)) return [];
  const tokens = loc.filter((part) => typeof part === 'string').flatMap(sourceTokens);
  return tokens[0] === 'query' ? tokens.slice(1) : tokens;
}

function percentDecoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
