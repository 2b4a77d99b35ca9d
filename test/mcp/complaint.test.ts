import { describe } from 'vitest';
import { expect, test } from '../support/gateway.ts';
import { missionRecord, rawNumber } from '../support/records.ts';
import { pageReply, refusal } from '../support/scripted-upstream.ts';
import { askTools, callTool, errorOf, textsOf } from '../support/tool-client.ts';

// What users of other gateways' tool servers have complained of, each with the promise that it does not happen here.

describe('unlike tool servers that are complained of, this one', () => {
  test('forwards the key of each call, and never that of another', async ({ startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    upstream.script(async ({ headers, ...request }) => {
      const name = String(headers.authorization);
      return pageReply([missionRecord({ name })], { headers, ...request });
    });
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const answers = await Promise.all(keys.map((key) => callTool(gateway, 'newest_missions', {}, { key })));
    const names = answers.map((answer) => JSON.parse(textsOf(answer)[0] ?? '').missions.nodes[0].name);
    expect(names).toEqual(keys.map((key) => `Bearer ${key}`));
  });

  test('hides no error: not of the API, not beside data, not behind a status', async ({ startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    upstream.script(() => refusal(403, '10010', 'Not authorized', 'This key may not list missions.'));
    const answer = await callTool(gateway, 'newest_missions');
    expect(answer).toMatchObject({ status: 200, result: { isError: true } });
    expect(errorOf(answer)).toMatchObject({
      message: 'This key may not list missions.',
      code: 'FORBIDDEN',
      retryable: false,
      next: expect.stringMatching(/^[A-Z].*\.$/),
    });
    expect(JSON.parse(textsOf(answer)[0] ?? '').requestId).toBe(answer.headers.get('x-request-id'));
  });

  test('damages no number', async ({ startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    const digits = ['9007199254740993', '0.10', '1E400', '-0', '123456789012345678901234567890.5'];
    const metadata = Object.fromEntries(digits.map((number) => [`n${number}`, rawNumber(number)]));
    upstream.script((request) => pageReply([missionRecord({ mission_id: 'm', metadata })], request));
    for (const structured of [false, true]) {
      const meta = { 'switchboard/structuredContent': structured };
      const { text, result } = await callTool(gateway, 'mission', { id: 'm' }, { meta });
      for (const number of digits) {
        expect(result.content[0].text).toContain(`"n${number}":${number}`);
        if (structured) expect(text).toContain(`"n${number}":${number}`);
      }
    }
  });

  test('sends schemas that every host takes: no $schema, no choice of types, no null', async ({ startWith }) => {
    const gateway = await startWith({ MCP: 'true', MCP_QUERIES: 'true' });
    const { text } = await askTools(gateway, 'tools/list');
    expect(text).not.toMatch(/\$schema|\$ref|\$defs|anyOf|oneOf|allOf|"null"|"type":\[/);
  });

  test('keeps no session that breaks behind a load balancer', async ({ startWith, upstream }) => {
    upstream.script((request) =>
      pageReply(
        Array.from({ length: 30 }, () => missionRecord()),
        request,
      ),
    );
    const replicas = [await startWith({ MCP: 'true' }), await startWith({ MCP: 'true' })] as const;
    const lists = await Promise.all(replicas.map((replica) => askTools(replica, 'tools/list')));
    expect(lists[0]?.text).toBe(lists[1]?.text);
    const first = await callTool(replicas[0], 'newest_missions');
    const after = JSON.parse(textsOf(first)[0] ?? '').missions.pageInfo.endCursor;
    const second = await callTool(replicas[1], 'newest_missions', { after });
    expect(JSON.parse(textsOf(second)[0] ?? '').missions.nodes).toHaveLength(10);
    for (const { headers } of [first, second]) expect(headers.get('mcp-session-id')).toBeNull();
  });

  test('has structured content only where it was asked for, and never on an error', async ({ startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    upstream.script((request) => pageReply([missionRecord()], request));
    const meta = { 'switchboard/structuredContent': true };
    expect((await callTool(gateway, 'newest_missions')).result).not.toHaveProperty('structuredContent');
    const asked = await callTool(gateway, 'newest_missions', {}, { meta });
    expect(asked.result.structuredContent).toEqual(JSON.parse(textsOf(asked)[0] ?? ''));
    const failed = await callTool(gateway, 'newest_missions', { first: -1 }, { meta });
    expect(failed.result.isError).toBe(true);
    expect(failed.result).not.toHaveProperty('structuredContent');
  });

  test('fills no context: ten rows, and the columns that matter', async ({ startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    upstream.script((request) =>
      pageReply(
        Array.from({ length: 300 }, () => missionRecord()),
        request,
      ),
    );
    const answer = await callTool(gateway, 'newest_missions');
    expect(Buffer.byteLength(answer.text)).toBeLessThan(8_000);
    expect(upstream.requests.map(({ query }) => query['page[size]'])).toEqual(['10']);
  });
});
