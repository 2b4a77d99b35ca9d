import { describe, expect, testOfSandbox, type Gateway } from '../support/gateway.ts';
import type { Json } from '../support/records.ts';
import { askTools, callTool, errorOf } from '../support/tool-client.ts';

type Args = Readonly<Record<string, unknown>>;

const test = testOfSandbox({ MCP: 'true', LOG_LEVEL: 'silent' }).extend<{ readonly tools: readonly Json[] }>({
  tools: async ({ gateway }, use) => use((await askTools(gateway, 'tools/list')).result.tools),
});

/** The identifier that a tool takes, by its name. */
async function idsIn(gateway: Gateway): Promise<Readonly<Record<string, string>>> {
  const { data } = await gateway.query(
    '{ connection: ipConnections(first: 1) { nodes { id } } mission: missions(first: 1) { nodes { id } } delivery: webhookDeliveries(first: 1) { nodes { id } } }',
  );
  const [connection, mission, delivery] = ['connection', 'mission', 'delivery'].map((name) => data[name].nodes[0].id);
  return { connection, mission, delivery, connection_deliveries: connection };
}

test('the most that an argument says is taken, and one more is refused by its name', async ({ gateway, tools }) => {
  const ids = await idsIn(gateway);
  const october = { startDate: '2026-10-01', endDate: '2026-11-01' };
  const known: Args = { ...october, since: '2026-10-01T00:00:00Z', until: '2026-11-01T00:00:00Z' };
  // Every whole number that a tool takes has bounds.
  const bounded = tools.flatMap((tool) =>
    Object.entries<Json>(tool.inputSchema.properties).flatMap(([argument, { type, minimum = NaN, maximum = NaN }]) =>
      type === 'integer' ? [{ tool, argument, minimum, maximum }] : [],
    ),
  );
  expect(bounded.length).toBeGreaterThan(5);
  for (const { tool, argument, minimum, maximum } of bounded) {
    const { name, inputSchema } = tool;
    const needed = (inputSchema.required ?? []).map((each: string) => [each, each === 'id' ? ids[name] : known[each]]);
    const callWith = (value: number) => callTool(gateway, name, { ...Object.fromEntries(needed), [argument]: value });
    for (const value of [minimum, maximum])
      expect([name, value, errorOf(await callWith(value))]).toEqual([name, value, null]);
    for (const value of [minimum - 1, maximum + 1])
      expect([name, errorOf(await callWith(value))]).toMatchObject([
        name,
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
function numbersIn({ name, description, inputSchema }: Json): readonly string[] {
  const texts = [description, ...Object.values<Json>(inputSchema.properties).map((property) => property.description)];
  const numbers =
    texts
      .join(' ')
      .replaceAll(/\d{4}-\d{2}-\d{2}\S*|Example: \S+/g, '')
      .match(/\d+/g) ?? [];
  return [...new Set(numbers)].map((number) => `${name} ${number}`);
}

describe('a number in the text of a tool', () => {
  test('is one of those that are tried here', ({ tools }) => {
    expect(tools.flatMap(numbersIn).sort()).toEqual(Object.keys(stated).sort());
  });

  test.for(Object.entries(stated))('is true: %s', async ([limit, [within, beyond, argument]], { gateway }) => {
    const [name = ''] = limit.split(' ');
    expect(errorOf(await callTool(gateway, name, within))).toBeNull();
    expect(errorOf(await callTool(gateway, name, beyond))).toMatchObject({
      code: 'BAD_USER_INPUT',
      ...(argument as object),
    });
  });
});
