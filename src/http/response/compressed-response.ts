import type { IncomingMessage } from 'node:http';
import { compressedFrom } from '../../bounds.ts';
import { compress } from './compression.ts';
import type { ChooseCoding } from './content-coding.ts';

/** Compresses a whole response where that is worth it and the client takes it. The response must not be a stream. */
export async function compressResponse(
  response: Response,
  req: IncomingMessage,
  chooseCoding: ChooseCoding,
): Promise<Response> {
  const { status, headers } = response;
  const text = Buffer.from(await response.arrayBuffer());
  const coding = text.length < compressedFrom ? null : chooseCoding(req);
  const body = coding === null ? text : await compress(coding, text);
  if (coding !== null) headers.set('content-encoding', coding);
  headers.set('content-length', String(body.length));
  return new Response(body as Uint8Array<ArrayBuffer>, { status, headers });
}
