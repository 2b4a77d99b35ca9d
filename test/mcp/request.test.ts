import { messageNameLength, messageValues } from '../../src/mcp/mcp-server.ts';
import { requestBody } from '../../src/bounds.ts';
import { describe, expect, type Gateway } from '../support/gateway.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { ask } from '../support/http.ts';
import { askTools, callTool, toolRequest } from '../support/tool-client.ts';
import { toolsOfFile } from './gateway-of-tools.ts';

const test = toolsOfFile();

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const post = (gateway: Gateway, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  ask(gateway.url, { path: '/mcp', headers: { host: '127.0.0.1', ...json, ...headers }, body });
const message = (method: string, params?: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const list = message('tools/list');
const initialize = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
});

describe('/mcp', () => {
  test('is not there unless MCP is on', async ({ startWith }) => {
    expect((await post(await startWith({}), list)).status).toBe(404);
  });

  test('answers each message for itself, with no session id to keep', async ({ tools, startWith, upstream }) => {
    upstream.script((request) => pageReply([missionRecord()], request));
    const other = await startWith({ MCP: 'true' });
    const begun = await post(tools, initialize);
    expect(JSON.parse(begun.text).result).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { tools: {} } });
    expect(begun.headers.join()).not.toContain('mcp-session-id');
    // Another replica answers the next message.
    const called = await post(other, message('tools/call', { name: 'newest_missions' }), {
      authorization: 'Bearer test-key',
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': 'of another replica',
    });
    expect(JSON.parse(called.text).result.content[0].text).toContain('"totalCount":1');
    expect(called.headers).toEqual(
      expect.arrayContaining(['cache-control: private, no-store', 'content-type: application/json']),
    );
    const notified = await post(tools, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([notified.status, notified.text]).toEqual([202, '']);
  });

  test.for([
    [true, 'made up'],
    [false, null],
  ] as const)('instructs by the present of the account; a sandbox: %s', async ([isSandbox, words], { startWith }) => {
    const now = (): number => Date.parse('2031-05-06T07:08:30Z');
    const gateway = await startWith({ MCP: 'true' }, { isSandbox, now });
    const older = await post(gateway, initialize);
    const { result } = await askTools(gateway, 'server/discover');
    expect(JSON.parse(older.text).result.instructions).toBe(result.instructions);
    expect(result.instructions).toMatch(/It is 2031-05-06T07:0[89]Z now/);
    expect(/made up/.exec(result.instructions)?.[0] ?? null).toBe(words);
    // A client may keep them for as long as they are true.
    expect(result.ttlMs).toBe(60_000);
  });

  test.for<[what: string, body: string | Buffer, code: number]>([
    ['nothing', '', -32_700],
    ['no JSON', '{"jsonrpc":', -32_700],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32_700],
    ['a batch', `[${list},${list}]`, -32_600],
    ['null', 'null', -32_600],
    ['no version', '{"id":1,"method":"tools/list"}', -32_600],
    ['a method that is none', '{"jsonrpc":"2.0","id":1,"method":{"a":1}}', -32_600],
    ['a long method', `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(messageNameLength + 1)}"}`, -32_600],
    ['a long id', `{"jsonrpc":"2.0","id":"${'i'.repeat(messageNameLength + 1)}","method":"tools/list"}`, -32_600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}', -32_600],
    ['an id that a double rounds', '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}', -32_600],
    ['a notification with parameters in a list', '{"jsonrpc":"2.0","method":"tools/list","params":[1]}', -32_602],
  ])('refuses %s with an error of JSON-RPC', async ([, body, code], { tools, upstream }) => {
    const { status, text } = await post(tools, body);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } });
    expect(upstream.requests).toEqual([]);
  });

  test.for<[what: string, method: string, params: Readonly<Record<string, unknown>>]>([
    ['a tool whose name is a number', 'tools/call', { name: 1 }],
    ['a cursor of nobody', 'tools/list', { cursor: 'bmV4dA==' }],
    ['arguments in a list', 'tools/call', { name: 'newest_missions', arguments: [1] }],
  ])('says that parameters do not fit, and which: %s', async ([, method, params], { tools }) => {
    const { status, text } = await post(tools, message(method, params));
    const { id, error } = JSON.parse(text);
    expect([status, id, error.code]).toEqual([200, 1, -32_602]);
    expect(error.message).toMatch(/params|name|cursor|arguments/);
    expect((await askTools(tools, method, params)).error?.code).toBe(-32_602);
  });

  test.for(['[1]', 'null', '"{}"', '{"_meta":[1]}'])('answers by its id to params %s', async (params, { tools }) => {
    const body = `{"jsonrpc":"2.0","id":"mine","method":"tools/list","params":${params}}`;
    const { status, text } = await post(tools, body);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ id: 'mine', error: { code: -32_602 } });
  });

  test('takes arguments that are null for none', async ({ tools, upstream }) => {
    upstream.script((request) => pageReply([missionRecord()], request));
    const params = { name: 'newest_missions', arguments: null };
    const older = await post(tools, message('tools/call', params), { authorization: 'Bearer test-key' });
    for (const { text } of [older, await askTools(tools, 'tools/call', params)])
      expect(JSON.parse(text).result.content[0].text).toContain('"totalCount":1');
  });

  test.for<[what: string, params: string, status: number]>([
    ['as many values as it may have', `[${'1,'.repeat(messageValues - 20)}1]`, 200],
    ['as deep as it may be', '['.repeat(90) + ']'.repeat(90), 200],
    ['more values, which the SDK would read for long', `[${'1,'.repeat(messageValues)}1]`, 400],
    // Small bodies too: they are read by recursion here.
    ['a deeper one', '['.repeat(5_000) + ']'.repeat(5_000), 400],
    ['a longer one', `"${'x'.repeat(requestBody)}"`, 413],
  ])('bounds a message, wherever its values stand: %s', async ([, value, status], { tools }) => {
    for (const members of [
      `"method":"tools/list","params":{"a":${value}}`,
      `"method":"tools/call","params":{"name":"mission","arguments":{"id":${value}}}`,
      `"method":"tools/list","a":${value}`,
      `"result":{"a":${value}}`,
    ]) {
      const body = `{"jsonrpc":"2.0","id":1,${members}}`;
      const headers = { host: '127.0.0.1', ...json };
      const answer = await ask(tools.url, { path: '/mcp', headers, body, isChunked: true });
      if (status === 200) expect(answer.text).not.toContain('QUERY_TOO_COMPLEX');
      else expect(answer.status).toBe(status);
      const error = { code: -32_600, data: { code: 'QUERY_TOO_COMPLEX' } };
      if (status === 400) expect(JSON.parse(answer.text)).toMatchObject({ id: null, error });
      if (status === 413) expect((await post(tools, body)).status).toBe(413);
    }
  });

  test.for<[accept: string | null, status: number]>([
    [null, 200],
    ['*/*', 200],
    ['application/json; charset=utf-8, text/event-stream; q=0.5', 200],
    ['application/json', 200],
    ['text/event-stream', 406],
    ['application/json;q=0, text/event-stream', 406],
  ])('reads Accept as HTTP has it: %j is %i', async ([accept, expected], { tools }) => {
    const headers = { host: '127.0.0.1', 'content-type': 'application/json', ...(accept !== null && { accept }) };
    const { status, text } = await ask(tools.url, { path: '/mcp', headers, body: list });
    expect(status).toBe(expected);
    expect(Object.keys(JSON.parse(text))).toContain(expected === 200 ? 'result' : 'error');
  });

  test('holds no stream open on which nothing would ever come', async ({ tools }) => {
    const params = { notifications: { toolsListChanged: true } };
    const { error } = await askTools(tools, 'subscriptions/listen', params, { key: null });
    expect(error.message).toBe('Subscription limit reached');
    const legacy = await post(tools, '{"jsonrpc":"2.0","id":"mine","method":"subscriptions/listen"}');
    expect(JSON.parse(legacy.text)).toMatchObject({ id: 'mine', error: { code: -32_601 } });
  });

  test('refuses a version of the protocol that it does not know, and names those that it knows', async ({ tools }) => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const headers = { 'mcp-protocol-version': '2099-01-01' };
    const { status, error } = await askTools(tools, 'tools/list', {}, { meta, headers });
    expect(status).toBe(400);
    expect(error.data.supported).toContain('2026-07-28');
  });

  test('never returns the key, wherever a client puts it', async ({ tools, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const key = 'KEYcanary_0123456789_abcdef';
    const meta = { 'io.modelcontextprotocol/protocolVersion': key };
    const answers = [
      await callTool(tools, key, {}, { key }),
      await callTool(tools, 'spend', { [key]: 1 }, { key }),
      await callTool(tools, 'spend', { startDate: key, endDate: { [key]: key } }, { key }),
      await callTool(tools, 'newest_missions', { after: key }, { key }),
      await callTool(tools, 'newest_missions', {}, { key, headers: { 'mcp-name': key } }),
      await askTools(tools, key, {}, { key }),
      await askTools(tools, 'tools/list', {}, { key, meta, headers: { 'mcp-protocol-version': key } }),
      await askTools(tools, 'tools/list', { cursor: key }, { key, headers: { 'mcp-method': key } }),
    ];
    for (const { text, headers } of answers) expect(text + JSON.stringify([...headers])).not.toContain(key);
    const ofId = await post(tools, list.replace('1,', `"${key}",`), { authorization: `Bearer ${key}` });
    expect([ofId.status, ofId.text.includes(key)]).toEqual([400, false]);
    expect(tools.log.join('')).not.toContain(key);
  });
});

describe('a page of another site', () => {
  test.for<[headers: Readonly<Record<string, string>>, status: number]>([
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, 415],
    [{ 'content-type': '' }, 415],
    [{ host: 'evil.example' }, 403],
    [{ host: 'user@localhost' }, 400],
    // An address leads nowhere else, whoever asks.
    [{ host: '10.0.0.7:4000' }, 200],
    [{ origin: 'http://localhost.evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'file://' }, 403],
  ])('sends nothing, neither as a form nor by a name of its own: %j is %i', async ([headers, status], { tools }) => {
    expect((await post(tools, list, headers)).status).toBe(status);
  });

  test('may where CORS_ORIGINS has its origin, and from the public URL', async ({ startWith }) => {
    const origins = { CORS_ORIGINS: 'https://app.example', PUBLIC_URL: 'https://gateway.example/base' };
    const gateway = await startWith({ MCP: 'true', ...origins });
    const host = 'gateway.example';
    for (const origin of ['https://app.example', 'https://gateway.example', 'http://localhost:6274'])
      expect((await post(gateway, list, { host, origin })).status).toBe(200);
    expect((await post(gateway, list, { host, origin: 'http://app.example' })).status).toBe(403);
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const { status, headers } = await ask(gateway.url, {
      path: '/mcp',
      method: 'OPTIONS',
      headers: { host, ...preflight, 'access-control-request-headers': 'mcp-protocol-version,authorization' },
    });
    expect(status).toBe(204);
    expect(headers).toContain('access-control-allow-origin: https://app.example');
    expect(headers).toContain('access-control-allow-headers: mcp-protocol-version,authorization');
  });

  test('is told by its origin alone where the gateway listens everywhere', async ({ startWith }) => {
    const gateway = await startWith({ MCP: 'true', HOST: '0.0.0.0' });
    expect((await post(gateway, list, { host: 'any.example' })).status).toBe(200);
    expect((await post(gateway, list, { host: 'any.example', origin: 'http://any.example' })).status).toBe(403);
  });
});

describe('the metadata of the protected resource', () => {
  const settings = {
    PUBLIC_URL: 'https://gateway.example',
    AUTHORIZATION_SERVERS: 'https://login.example/a, https://login.example/b',
  };
  const paths = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'];

  test('names the resource and its issuers', async ({ startWith }) => {
    const gateway = await startWith({ ...settings, MCP: 'true' });
    const resources = await Promise.all(paths.map(async (path) => (await gateway.fetch(path)).json()));
    const servers = ['https://login.example/a', 'https://login.example/b'];
    const both = { authorization_servers: servers, bearer_methods_supported: ['header'] };
    const own = ['', '/mcp'].map((path) => ({ resource: `https://gateway.example${path}`, ...both }));
    expect(resources).toMatchObject(own);
  });

  test.for<Readonly<Record<string, string>>>([{}, { PUBLIC_URL: settings.PUBLIC_URL }])(
    'is 404 where it is not set, and no call asks for a token: %o',
    async (env, { startWith }) => {
      const gateway = await startWith({ MCP: 'true', ...env });
      for (const path of paths) expect((await gateway.fetch(path)).status).toBe(404);
      const host = new URL(env['PUBLIC_URL'] ?? gateway.url).hostname;
      const { body, headers } = toolRequest('tools/call', { name: 'newest_missions' }, { key: null });
      const answer = await post(gateway, body, { ...headers, host });
      expect(answer.status).toBe(200);
      expect(answer.headers.join()).not.toContain('www-authenticate');
    },
  );

  test('stands below the public URL, and a call that lacks a key leads to it', async ({ startWith, upstream }) => {
    upstream.script(() => ({ status: 401, json: { errors: [{ code: '10009', title: 'Authentication failed' }] } }));
    const gateway = await startWith({ ...settings, MCP: 'true', PUBLIC_URL: 'https://gateway.example/base/' });
    const path = '/.well-known/oauth-protected-resource/base/mcp';
    expect(await (await gateway.fetch(path)).json()).toMatchObject({ resource: 'https://gateway.example/base/mcp' });
    const listed = await askTools(gateway, 'tools/list', {}, { key: null });
    expect([listed.status, listed.headers.get('www-authenticate')]).toEqual([200, null]);
    const legacy = { 'mcp-protocol-version': '2025-11-25', 'mcp-method': '', 'mcp-name': '' };
    for (const key of [null, 'refused-key']) {
      const answer = await callTool(gateway, 'newest_missions', {}, { key });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="https://gateway.example${path}"`);
      expect(answer.result.isError).toBe(true);
      const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
      const older = message('tools/call', { name: 'newest_missions' });
      const again = await post(gateway, older, { ...authorization, ...legacy });
      expect(again.status).toBe(401);
    }
    expect(upstream.requests).toHaveLength(2);
  });
});
