import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, test, type Gateway } from '../../../support/gateway.ts';
import { missionRecord, rawNumber, type Json } from '../../../support/records.ts';
import { pageReply } from '../../../support/scripted-upstream.ts';

const info = { name: 'test', version: '1' };

/** What the tests need of a client of either generation. */
interface ToolClient extends AsyncDisposable {
  readonly names: () => Promise<readonly string[]>;
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Json>;
}

const toolsOf = (client: CurrentClient | OlderClient): ToolClient => ({
  names: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: (name, args) => client.callTool({ name, arguments: args }),
  [Symbol.asyncDispose]: () => client.close(),
});

type Connect = (gateway: Gateway, key: string) => Promise<ToolClient>;

const headersFor = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

function current(mode: 'legacy' | { readonly pin: '2026-07-28' }): Connect {
  return async (gateway, key) => {
    const client = new CurrentClient(info, { versionNegotiation: { mode } });
    await client.connect(new CurrentTransport(new URL(`${gateway.url}/mcp`), headersFor(key)));
    return toolsOf(client);
  };
}

const older: Connect = async (gateway, key) => {
  const client = new OlderClient(info);
  await client.connect(new OlderTransport(new URL(`${gateway.url}/mcp`), headersFor(key)));
  return toolsOf(client);
};

const clients: readonly [name: string, connect: Connect][] = [
  ['the SDK of 2026-07-28', current({ pin: '2026-07-28' })],
  ['the same SDK in the way of 2025-11-25', current('legacy')],
  ['the SDK of 2025-11-25', older],
];

describe.for(clients)('%s', ([, connect]) => {
  test('lists tools, calls them with its own key, and reads each digit', async ({ startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    const digits = '9007199254740993.10';
    const mission = missionRecord({ mission_id: 'm1', metadata: { big: rawNumber(digits) } });
    upstream.script((request) => pageReply([mission], request));
    await using client = await connect(gateway, 'own-key');
    expect(await client.names()).toEqual(expect.arrayContaining(['spend', 'mission']));
    const { content, isError = false } = await client.call('mission', { id: 'm1' });
    expect(isError).toBe(false);
    expect(content[0].text).toContain(`"big":${digits}`);
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer own-key']);
  });

  test('reads an error as a result, and hears of an unknown tool', async ({ startWith }) => {
    const gateway = await startWith({ MCP: 'true' });
    await using client = await connect(gateway, 'own-key');
    const { content, isError } = await client.call('spend', { startDate: '2026-10-01', endDate: '2026-10-01' });
    expect(isError).toBe(true);
    expect(JSON.parse(content[0].text).errors[0]).toMatchObject({ code: 'BAD_USER_INPUT', argument: ['endDate'] });
    await expect(client.call('nothing', {})).rejects.toThrow(/no such tool/);
  });
});
