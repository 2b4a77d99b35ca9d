import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { askTools, callTool, errorOf } from '../support/tool-client.ts';
import { startFixedSandbox } from '../support/sandbox.ts';

interface Property {
  readonly type: string;
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
}

type Args = Readonly<Record<string, unknown>>;

let sandbox: Sandbox;
let gateway: Gateway;
let tools: readonly Listed[];
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  sandbox = await startFixedSandbox();
  gateway = await startGateway(sandbox.baseUrl, { MCP: 'true', LOG_LEVEL: 'silent' });
  tools = (await askTools(gateway, 'tools/list')).result.tools;
  const { data } = await gateway.query(
    '{ connection: ipConnections(first: 1) { nodes { id } } mission: missions(first: 1) { nodes { id } } delivery: webhookDeliveries(first: 1) { nodes { id } } }',
  );
  const idOf = (name: string): string => data[name].nodes[0].id;
  ids = { mission: idOf('mission'), delivery: idOf('delivery'), connection: idOf('connection') };
  ids = { ...ids, connection_deliveries: idOf('connection') };
});

afterAll(async () => {
  await gateway.close();
  await sandbox.close();
});

/** Arguments that a tool takes, of which it needs some. */
function argsOf({ name, inputSchema: { required = [] } }: Listed): Args {
  const known: Args = {
    id: ids[name],
    startDate: '2026-10-01',
    endDate: '2026-11-01',
    since: '2026-10-01T00:00:00Z',
    until: '2026-11-01T00:00:00Z',
  };
  return Object.fromEntries(required.map((argument) => [argument, known[argument]]));
}

test('the most that an argument says is taken, and one more is refused by its name', async () => {
  // Every whole number that a tool takes has bounds.
  const bounded = tools.flatMap((tool) =>
    Object.entries(tool.inputSchema.properties).flatMap(([argument, { type, minimum = NaN, maximum = NaN }]) =>
      type === 'integer' ? [{ tool, argument, minimum, maximum }] : [],
    ),
  );
  expect(bounded.length).toBeGreaterThan(5);
  for (const { tool, argument, minimum, maximum } of bounded) {
    const callWith = (value: number) => callTool(gateway, tool.name, { ...argsOf(tool), [argument]: value });
    for (const value of [minimum, maximum])
      expect([tool.name, value, errorOf(await callWith(value))]).toEqual([tool.name, value, null]);
    for (const value of [minimum - 1, maximum + 1])
      expect([tool.name, errorOf(await callWith(value))]).toMatchObject([
        tool.name,
        { code: 'BAD_USER_INPUT', argument: [argument], message: expect.stringContaining(`to ${maximum};`) },
      ]);
  }
});

const month = { startDate: '2026-08-01', endDate: '2026-09-01' };
const longMonth = { startDate: '2026-08-01', endDate: '2026-09-02' };

/** What a text of a tool says, with arguments at that limit and just beyond it. */
const stated: Readonly<Record<string, readonly [within: Args, beyond: Args, argument: unknown]>> = {
  'charges_by_number 31': [month, longMonth, { argument: ['endDate'] }],
  'spend 31': [month, longMonth, { argument: ['endDate'] }],
  'spend_by_month 24': [
    { startDate: '2024-11-01', endDate: '2026-11-01' },
    { startDate: '2024-11-01', endDate: '2026-11-02' },
    { argument: ['endDate'] },
  ],
  'delivery_counts 170': [
    { since: '2026-10-01T00:00:00Z', until: '2026-10-08T02:00:00Z', interval: 'HOUR' },
    { since: '2026-10-01T00:00:00Z', until: '2026-10-08T02:00:01Z', interval: 'HOUR' },
    { arguments: ['since', 'until'] },
  ],
  'find_connections 3': [{ name: 'fax' }, { name: 'fa' }, { argument: ['name'] }],
};

/** The numbers in words of a tool and its arguments; those of an example are none. */
function numbersIn({ name, description, inputSchema }: Listed): readonly string[] {
  const texts = [description, ...Object.values(inputSchema.properties).map((property) => property.description)];
  const numbers =
    texts
      .join(' ')
      .replaceAll(/\d{4}-\d{2}-\d{2}\S*|Example: \S+/g, '')
      .match(/\d+/g) ?? [];
  return [...new Set(numbers)].map((number) => `${name} ${number}`);
}

describe('a number in the text of a tool', () => {
  test('is one of those that are tried here', () => {
    expect(tools.flatMap(numbersIn).sort()).toEqual(Object.keys(stated).sort());
  });

  test.for(Object.entries(stated))('is true: %s', async ([limit, [within, beyond, argument]]) => {
    const [name = ''] = limit.split(' ');
    expect(errorOf(await callTool(gateway, name, within))).toBeNull();
    expect(errorOf(await callTool(gateway, name, beyond))).toMatchObject({
      code: 'BAD_USER_INPUT',
      ...(argument as object),
    });
  });
});
