import { messageLength } from '../bounds.ts';
import type { Exchange } from '../http/request/exchange.ts';

interface ProtocolFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Bounds an error of the protocol, and hides the caller's key in it: the SDK quotes headers and parameters. */
export async function withSafeError(response: Response, { hideKey }: Pick<Exchange, 'hideKey'>): Promise<Response> {
  const { status, headers } = response;
  if (headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  const body = text.includes('"error":{') ? (JSON.parse(text) as { readonly error?: ProtocolFault }) : {};
  if (body.error === undefined) return new Response(text, { status, headers });
  const { code, message, data } = body.error;
  const dataText = JSON.stringify(data) ?? '';
  const isSafe = dataText !== '' && dataText.length <= messageLength && hideKey(dataText) === dataText;
  const error = { code, message: hideKey(message, messageLength), ...(isSafe && { data }) };
  return Response.json({ ...body, error }, { status, headers });
}
