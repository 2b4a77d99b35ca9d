import { connect } from 'node:net';
import * as records from '../support/records.ts';
import type { Gateway } from '../support/gateway.ts';
import { cutOff, hang, hangUp, type Script, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { selectionOf } from '../support/selection.ts';
import { toolRequest } from '../support/tool-client.ts';
import { spellingsOf } from './canary.ts';

const graphql = { 'content-type': 'application/json' };
const period = '(startDate: "2026-10-01", endDate: "2026-11-01")';
const report = '/exports/charges-breakdown.csv?startDate=2026-10-01';

/** A client that gathers all that it receives, and goes on whatever happens. */
interface Client {
  readonly seen: string[];
  readonly send: (path: string, init?: RequestInit) => Promise<void>;
  readonly ask: (query: string, more?: object) => Promise<void>;
}

function createClient(gateway: Gateway, key: string): Client {
  const seen: string[] = [];
  const send = async (path: string, init: RequestInit = {}): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, ...(init.headers as object) };
    const response = await gateway.fetch(path, { redirect: 'manual', ...init, headers }).catch(() => null);
    if (response === null) return;
    seen.push(JSON.stringify([...response.headers]), await response.text().catch(() => ''));
  };
  const ask = (query: string, more: object = {}): Promise<void> =>
    send('/graphql', { method: 'POST', headers: graphql, body: JSON.stringify({ query, ...more }) });
  return { seen, send, ask };
}

/** Fields, relations, look-ups and references over everything that the upstream has. */
function documentsOf(secret: string): readonly string[] {
  const delivery = records.webhookDeliveryRecord();
  const id = `"${String(delivery['id'])}"`;
  return [
    `{
      ipConnections { nodes ${selectionOf(records.ipConnectionRecord())} edges { cursor } }
      webhookDeliveries { nodes ${selectionOf(delivery)} }
      missions { nodes ${selectionOf(records.missionRecord())} }
      chargesSummary${period} ${selectionOf(records.chargesSummaryRecord())}
      chargesBreakdown${period} ${selectionOf(records.chargesBreakdownRecord())}
      chargesBreakdownCsv${period} { content url }
    }`,
    `{
      ipConnections { nodes { nodeId webhookDeliveries { nodes { id ipConnection { id } } } } }
      mission(id: ${id}) { id }
      webhookDelivery(id: ${id}) { ipConnection { outbound { ipAuthenticationToken } } }
      _entities(representations: [{ __typename: "Mission", id: ${id} }, { __typename: "${secret}", id: 7 }]) { __typename }
      chargesHistory${period} { currency }
    }`,
  ];
}

function goodReply(secret: string): Script {
  const pairs = ['Authorization', 'proxy-authorization', 'COOKIE', 'Set-Cookie', 'X-Api-Key'].map((name) => [
    name,
    secret,
  ]);
  // As text, a form that the API has too, with every spelling of a name.
  const texts = [
    'Authorization',
    ' cookie ',
    'SET-COOKIE\t',
    '\r\nX-Api-Key',
    'Accept: x\r\nProxy-Authorization',
    '',
  ].flatMap((name) => [`${name}:${secret}`, `${name} : ${secret}`, `${name}:\r\n ${secret}`]);
  const odd = [
    ['Cookie:', secret],
    [`Cookie: ${secret}`, ''],
    ['Accept', `x\r\nCookie: ${secret}`],
    ['', secret],
    `Cookie ${secret}`,
  ];
  const http = {
    request: { url: 'https://hooks.example.com/voice', headers: [...pairs, ...odd] },
    response: { status: 500, headers: [...pairs, ...texts], body: '' },
  };
  const data: Readonly<Record<string, unknown>> = {
    '/ip_connections': [records.ipConnectionRecord({ outbound: { ip_authentication_token: secret } })],
    '/webhook_deliveries': [records.webhookDeliveryRecord({ attempts: [records.attemptRecord({ http })] })],
    '/ai/missions': [records.missionRecord()],
    '/charges_summary': records.chargesSummaryRecord(),
    '/charges_breakdown': records.chargesBreakdownRecord(),
  };
  return ({ path }) => ({ json: { data: data[path], meta: { total_results: 1 } } });
}

/** Replies that contain the key and the secret, in every way there is. */
function repliesOf(key: string, secret: string): readonly Script[] {
  const json = { 'content-type': 'application/json' };
  const whole = spellingsOf(key).map((spelling) => `key ${spelling} is wrong`);
  // As the upstream leaves a text that it has cut.
  const halved = spellingsOf(key).map((spelling) => `wrong key ${spelling.slice(0, -6)}…`);
  const echoes = [...whole, ...halved].map((echo): Script => {
    const error = {
      code: '10009',
      title: echo,
      detail: echo,
      source: { parameter: echo, pointer: echo },
      meta: { url: echo },
    };
    return ({ path }) =>
      path === '/ai/missions'
        ? { status: 422, json: { detail: [{ loc: ['query', echo], msg: echo, type: echo }] } }
        : {
            status: 401,
            json: { errors: [error, { ...error, code: echo, [echo]: echo }] },
            headers: { 'www-authenticate': secret },
          };
  });
  return [
    goodReply(secret),
    ...echoes,
    () => hang,
    () => hangUp,
    () => cutOff(`{"data":"${key} ${secret}`, { headers: { ...json, 'content-length': '1000' } }),
    () => ({ text: `{"data":{"x":"${key} ${secret}`, headers: json }),
    () => ({ text: `<html>${key} ${secret}</html>`, headers: { 'content-type': 'text/html', 'set-cookie': secret } }),
    () => ({ status: 302, headers: { location: `https://${secret}.invalid/?k=${encodeURIComponent(key)}` } }),
    () => ({
      json: { data: [{ id: { [key]: secret }, attempts: secret, [secret]: key }], meta: { total_results: secret } },
    }),
    () => ({ status: 500, json: { message: secret, stack: key, errors: { [secret]: key } } }),
  ];
}

/** Tools whose results hold everything that the upstream has. */
async function useTools({ send }: Client, key: string, secret: string): Promise<void> {
  const call = (name: string, args: object, headers: Readonly<Record<string, string>> = {}): Promise<void> =>
    send('/mcp', toolRequest('tools/call', { name, arguments: args }, { key, headers }));
  const id = String(records.webhookDeliveryRecord()['id']);
  await Promise.all([
    call('spend', { startDate: '2026-10-01', endDate: '2026-11-01' }),
    call('delivery', { id }),
    call('connection_deliveries', { id }),
    call('newest_missions', {}),
    ...documentsOf(secret).map((query) => call('run_query', { query })),
  ]);
}

/** Mistakes of a client of tools with its own key. */
async function blunderWithTools({ send }: Client, key: string): Promise<void> {
  const call = (name: string, args: object, headers: Readonly<Record<string, string>> = {}): Promise<void> =>
    send('/mcp', toolRequest('tools/call', { name, arguments: args }, { key, headers }));
  await call(key, {}, { 'mcp-name': key });
  await call('spend', { [key]: key, startDate: { [key]: key } });
  await call('spend', { startDate: key, endDate: [key] });
  await call('newest_missions', { after: key, first: key });
  await call('search_schema', { words: key, [key]: 1 });
  for (const query of [key, `{ ${key} }`, `{ missions(first: ${JSON.stringify(key)}) { totalCount } }`])
    await call('run_query', { query, variables: { [key]: key } });
  for (const header of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept', 'origin', 'content-type'])
    await call('newest_missions', {}, { [header]: key });
  await send('/mcp', toolRequest(key, { [key]: key }, { key }));
  await send('/mcp', toolRequest('tools/list', { cursor: key }, { key, meta: { progressToken: key, [key]: key } }));
  await send('/mcp', toolRequest('tools/list', {}, { key, meta: { 'io.modelcontextprotocol/protocolVersion': key } }));
  const headers = { ...graphql, accept: 'application/json, text/event-stream' };
  const initialize = { protocolVersion: key, capabilities: {}, clientInfo: { name: key, version: key } };
  for (const body of [
    key,
    { jsonrpc: '2.0', id: key, method: 'ping' },
    { jsonrpc: key, id: 1, method: key },
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: key, arguments: { [key]: key } } },
  ])
    await send('/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Mistakes of a client with its own key. */
async function blunder({ ask, send }: Client, key: string): Promise<void> {
  const word = JSON.stringify(key);
  const name = /^\w+$/.test(key) ? key : 'Name';
  for (const query of [
    key,
    `{ ${key} }`,
    `{ missions(first: ${word}) { totalCount } }`,
    `query ${key} { missions { nope } }`,
  ])
    await ask(query);
  await ask(`query ${name} { __typename }`);
  await ask('query A { __typename } query B { __typename }', { operationName: key });
  await ask('query ($f: Int!) { missions(first: $f) { totalCount } }', { variables: { f: key, [key]: key } });
  await ask(`{ missions(after: ${word}) { totalCount } node(nodeId: ${word}) { nodeId } mission(id: ${word}) { id } }`);
  await ask(`{ chargesSummary(startDate: ${word}, endDate: ${word}) { currency } }`);
  await ask(`{ ${Array.from({ length: 300 }, (_, index) => `${name}${index}: __typename`).join(' ')} }`);
  for (const extra of [{ id: key }, { documentId: key }, { doc_id: key }])
    await send('/graphql', { method: 'POST', headers: graphql, body: JSON.stringify(extra) });
  await ask('{ __typename }', { extensions: { persistedQuery: { version: 1, sha256Hash: key } } });
  await send('/graphql', { method: 'POST', headers: graphql, body: `{"query": ${key}` });
  await send('/graphql', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: key });
  for (const query of [`{ ${key} }`, '{ missions { totalCount } }'])
    await send(`/graphql?query=${encodeURIComponent(query)}&operationName=${encodeURIComponent(key)}`);
  await send(`/graphql?key=${encodeURIComponent(key)}`, {
    headers: { accept: 'text/html', referer: `https://a.example/${key}` },
  });
  await send(`/${encodeURIComponent(key)}`);
  await send(report.replace('2026-10-01', encodeURIComponent(key)));
  for (const id of [key, encodeURIComponent(key), `id/${key}`]) {
    await send('/graphql?query={missions{totalCount}}', { headers: { 'x-request-id': id } });
    await send('/graphql?query={missions{totalCount}}', { headers: { origin: `https://${id}`, accept: id } });
  }
}

/** Headers that hold the key in a form that is none, on the wire as no well-behaved client would put them there. */
async function sendBadHeaders({ seen }: Client, url: string, key: string): Promise<void> {
  const { port } = new URL(url);
  const headers = [
    `Bearer ${key}"`,
    `Bearer ${key} ${key}`,
    `Bearer ${key}\u0001`,
    `Bearer ${key}\u00e9`,
    key,
    `Bearer ${key} ${'k'.repeat(9_000)}`,
  ];
  for (const header of headers) {
    const socket = connect(Number(port), '127.0.0.1');
    const query = encodeURIComponent(
      `query ${/^\w+$/.test(key) ? key : 'Name'} { missions(first: "${key}") { totalCount } }`,
    );
    socket.end(
      `GET /graphql?query=${query} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: ${header}\r\n\r\n`,
      'latin1',
    );
    for await (const chunk of socket) seen.push(String(chunk));
  }
}

/** Pushes a key and a secret through every path there is; all that came out on the clients' side, in metrics and in the log. */
export async function pushCanaries(
  gateway: Gateway,
  upstream: ScriptedUpstream,
  { key, secret }: { readonly key: string; readonly secret: string },
): Promise<readonly string[]> {
  const client = createClient(gateway, key);
  for (const script of repliesOf(key, secret)) {
    upstream.script(script);
    // Side by side, so that a time-out is waited for once.
    const documents = documentsOf(secret).map((document) => client.ask(document));
    await Promise.all([...documents, client.send(report), useTools(client, key, secret)]);
  }
  upstream.script(goodReply(secret));
  await blunder(client, key);
  await blunderWithTools(client, key);
  await sendBadHeaders(client, gateway.url, key);
  for (const path of ['/metrics', '/ready', '/schema.graphql']) await client.send(path);
  return [...client.seen, ...gateway.log];
}
