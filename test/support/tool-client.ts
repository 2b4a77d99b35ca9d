import type { Gateway, QueryOptions } from './gateway.ts';
import type { Json } from './records.ts';

/** The response to one message, as a client of the tool server reads it; `text` is the body to the letter. */
export type ToolAnswer = Awaited<ReturnType<typeof askTools>>;

export interface ToolOptions extends Pick<QueryOptions, 'key' | 'headers'> {
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

type Params = Readonly<Record<string, unknown>>;

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type ToolRequest = Omit<RequestInit, 'body' | 'headers'> & {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** The head and body of one request of the specification 2026-07-28. */
export function toolRequest(method: string, params: Params = {}, options: ToolOptions = {}): ToolRequest {
  const { key = 'test-key', headers = {}, meta = {}, signal } = options;
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...envelope, ...meta } } }),
    ...(signal !== undefined && { signal }),
  };
}

/** Sends one request, and reads its response where that comes whole. */
export async function askTools(
  gateway: Pick<Gateway, 'fetch'>,
  method: string,
  params: Params = {},
  options: ToolOptions = {},
) {
  const response = await gateway.fetch('/mcp', toolRequest(method, params, options));
  const text = await response.text();
  const { result, error }: Json = JSON.parse(text);
  return { status: response.status, headers: response.headers, text, result, error };
}

/** Calls a tool. */
export function callTool(
  gateway: Pick<Gateway, 'fetch'>,
  name: string,
  args: Params = {},
  options: ToolOptions = {},
): Promise<ToolAnswer> {
  return askTools(gateway, 'tools/call', { name, arguments: args }, options);
}

/** The texts of a result. */
export function textsOf({ result }: ToolAnswer): readonly string[] {
  return result.content.map(({ text }: { readonly text: string }) => text);
}

/** The first error of a failed call, as a model reads it. */
export function errorOf(answer: ToolAnswer): Json {
  const found = textsOf(answer).find((text) => text.startsWith('{"errors"'));
  return found === undefined ? null : JSON.parse(found).errors[0];
}
