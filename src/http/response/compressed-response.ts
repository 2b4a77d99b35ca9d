import type { IncomingMessage } from 'node:http';
import type { FetchAPI } from 'graphql-yoga';
import { compressedFrom } from '../../bounds.ts';
import { compress } from './compression.ts';
import type { ChooseCoding } from './content-coding.ts';

/**
 * Compresses a whole response where that is worth it and the client takes it. The response must not be a stream. `fetchApi` makes
 * the new response.
 */
export async function compressResponse(
  response: Response,
  req: IncomingMessage,
  chooseCoding: ChooseCoding,
  fetchApi: Pick<FetchAPI, 'Response'> = globalThis,
): Promise<Response> {
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  const coding = bytes.length < compressedFrom ? null : chooseCoding(req);
  const body = coding === null ? bytes : await compress(coding, bytes);
  if (coding !== null) headers.set('content-encoding', coding);
  headers.set('content-length', String(body.length));
  return new fetchApi.Response(body as Uint8Array<ArrayBuffer>, { status, headers });
}
