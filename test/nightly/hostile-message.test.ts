import fc from 'fast-check';
import { expect, test as base, type Gateway } from '../support/gateway.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { toolRequest } from '../support/tool-client.ts';
import { runs } from '../support/runs.ts';

const test = base.extend<{ readonly tools: Gateway }>({
  tools: async ({ startWith }, use) => use(await startWith({ MCP: 'true', MCP_QUERIES: 'true' })),
});

const listed =
  'spend spend_by_month charges_by_number failed_deliveries deliveries delivery delivery_counts connection';
const others = 'find_connections connection_deliveries newest_missions mission run_query nothing __proto__ constructor';
const names = `${listed} ${others}`.split(' ');
const dates = 'startDate endDate since until interval';
const argumentNames = `${dates} first after id name status contains eventTypes connection active query variables`;
const argument = fc.constantFrom(...argumentNames.split(' '), '__proto__', 'constructor', 'toString', '');
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom('2026-10-01', '2026-11-01', '9999-12-31', '0000-01-01', '-1', '\u0000', '\ud800', 'ü'.repeat(5_000)),
  fc.constantFrom(0, -1, 1e300, 500, 501, 2 ** 31, null, true, [], {}, [[[]]], [null]),
  fc.constantFrom('{ missions { nodes { id } } }', 'query($a: [ID!]!) { nodes(nodeIds: $a) { nodeId } }'),
);
const args = fc.dictionary(argument, value, { maxKeys: 5, noNullPrototype: true });

/** A response that is one of the protocol, or an error of the gateway: never a fault of its own. */
async function judge(gateway: Gateway, response: Response): Promise<void> {
  const text = await response.text();
  expect(response.status).toBeLessThan(500);
  if (text !== '') {
    const { result, error, errors } = JSON.parse(text);
    expect([result, error, errors].filter((member) => member !== undefined)).toHaveLength(1);
  }
  expect(text).not.toMatch(/INTERNAL_SERVER_ERROR|Internal (?:server )?error|stack|node_modules/);
  expect(gateway.log.filter((line) => line.includes('internal error'))).toEqual([]);
}

test('no arguments are a fault of the gateway, whatever they are', async ({ tools, upstream }) => {
  upstream.script((request) => pageReply([missionRecord()], request));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), args, async (name, given) => {
      await judge(tools, await tools.fetch('/mcp', toolRequest('tools/call', { name, arguments: given })));
    }),
    { numRuns: runs(600) },
  );
});

test('no message is a fault of the gateway, of whichever version', async ({ tools, upstream }) => {
  upstream.script((request) => pageReply([missionRecord()], request));
  const known = ['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'subscriptions/listen'];
  const other = [
    'resources/list',
    'prompts/get',
    'notifications/cancelled',
    'notifications/initialized',
    'constructor',
  ];
  const method = fc.oneof(fc.constantFrom(...known, ...other), fc.string(), fc.jsonValue({ maxDepth: 1 }));
  const own = ['protocolVersion', 'clientInfo', 'clientCapabilities'].map((name) => `io.modelcontextprotocol/${name}`);
  const meta = fc.dictionary(
    fc.constantFrom('progressToken', 'switchboard/structuredContent', '__proto__', ...own),
    fc.oneof(fc.constant('2026-07-28'), fc.jsonValue({ maxDepth: 2 })),
    { noNullPrototype: true },
  );
  const params = fc.oneof(
    fc.record({ name: fc.constantFrom(...names), arguments: args, _meta: meta }, { requiredKeys: [] }),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const message = fc.oneof(
    fc.record({ jsonrpc: fc.constant('2.0'), id: fc.jsonValue({ maxDepth: 1 }), method, params }, { requiredKeys: [] }),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const headers = fc.record(
    {
      'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', '1999-01-01', ''),
      'mcp-method': fc.constantFrom(...known),
      'mcp-name': fc.constantFrom(...names),
      accept: fc.constantFrom('application/json, text/event-stream', 'application/json', '*/*', 'text/html', ''),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(message, headers, async (body, given) => {
      const response = await tools.fetch('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', ...given },
        body: JSON.stringify(body),
      });
      await judge(tools, response);
    }),
    { numRuns: runs(1_000) },
  );
});
