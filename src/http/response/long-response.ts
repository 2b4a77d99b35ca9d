import type { ExecutionResult } from 'graphql';
import { processRegularResult, type FetchAPI } from 'graphql-yoga';
import { writeJson } from './json-writer.ts';

/** A response that took a while to be written. */
export interface LongResponse {
  readonly status: number;
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
}

/** Writes a result that may be large in slices of time: its data here, and Yoga all around them. */
export async function longResponse(result: ExecutionResult, mediaType: string): Promise<LongResponse> {
  const { data } = result;
  const around = data == null ? result : { ...result, data: {} };
  const response = processRegularResult(around, globalThis, mediaType);
  const shown = JSON.parse(await response.text()) as object;
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? mediaType,
    pieces: await writeJson(data == null ? shown : { ...shown, data }),
  };
}

/** As Yoga processes a result, for one that may be large. */
export async function processLongResult(result: unknown, fetchApi: FetchAPI, mediaType: string): Promise<Response> {
  const { status, contentType, pieces } = await longResponse(result as ExecutionResult, mediaType);
  const body = Buffer.concat(pieces);
  const headers = { 'content-type': contentType, 'content-length': String(body.length) };
  return new fetchApi.Response(body, { status, headers });
}
