/** The response to one message, with what a model reads of it and what it cost the API. */
export interface Answer {
  readonly text: string;
  readonly bytes: number;
  readonly requestId: string;
}

/** What a call returned: its first text, which is JSON, and whether the call failed. */
export interface CallAnswer extends Answer {
  // The conversation reads JSON of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
  readonly isError: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** A client of the tool server, by the specification 2026-07-28: each message stands for itself. */
export interface ToolClient {
  readonly list: () => Promise<Answer>;
  readonly call: (name: string, args: Arguments) => Promise<CallAnswer>;
}

const version = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'switchboard-agent-example', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Creates a client with a key of its own. */
export function createToolClient(url: string, key: string): ToolClient {
  async function send(
    method: string,
    params: Arguments,
  ): Promise<{ readonly text: string; readonly requestId: string }> {
    const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        'mcp-protocol-version': version,
        'mcp-method': method,
        ...name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
    });
    return { text: await response.text(), requestId: response.headers.get('x-request-id') ?? '' };
  }

  return {
    async list() {
      const { text, requestId } = await send('tools/list', {});
      return { text, bytes: Buffer.byteLength(text), requestId };
    },
    async call(name, args) {
      const { text, requestId } = await send('tools/call', { name, arguments: args });
      const { content, isError = false } = JSON.parse(text).result;
      const texts: readonly string[] = content.map((block: { readonly text: string }) => block.text);
      // A model reads the texts. The frame around them stays with its host.
      return {
        text,
        bytes: Buffer.byteLength(texts.join('\n')),
        requestId,
        json: JSON.parse(texts[0] ?? 'null'),
        isError,
      };
    },
  };
}
