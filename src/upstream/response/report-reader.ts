import { BodyChunks } from '../../body-chunks.ts';
import { errorBody } from '../../bounds.ts';
import type { Call } from '../call.ts';
import { badResponse } from './body-reader.ts';
import { isCsvHead, lookAtBeginning, type Begun } from './csv-report.ts';
import { failureAt, faultOf, isWhole, readResponse, wrongTypeOf } from './response-reader.ts';
import { ReceivedBody } from './received-body.ts';
import type { StreamedResponse } from './wire-response.ts';

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
  if (begun.isCsv) return { ...streamed, body: begun.body, failureOf };
  const body = await collectBody(begun.body).catch((error: unknown) => Promise.reject(failureOf(error)));
  readResponse({ status, headers, body: new ReceivedBody([body]) }, call, call.endpoint.read, key);
  throw failureAt(call, status, badResponse('CSV text'), wrongTypeOf(call));
}

async function beginningOf(streamed: StreamedResponse): Promise<Begun> {
  const { body } = streamed;
  return isWhole(streamed) && isCsvHead(streamed) ? lookAtBeginning(body) : { isCsv: false, body };
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
