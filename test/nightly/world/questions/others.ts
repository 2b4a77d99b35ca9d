import type { Client, Random, Step } from '../types.ts';
import type { Account } from '../model/account.ts';
import { monthAt } from './charges.ts';
import { codesAllowed } from '../model/judge.ts';
import type { Model } from '../model/model.ts';
import { argumentOf } from './words.ts';

/** What requests of clients without a key that the API knows look like. */
const rubbish = [
  'noKey',
  'madeUp',
  'twoKeys',
  'empty',
  'cutJson',
  'array',
  'number',
  'deep',
  'aliases',
  'unknownField',
  'text',
  'put',
  'path',
  'export',
  'tool',
  'bytes',
  'stream',
  'keyInText',
  'keyInName',
  'hugeDocument',
  'longKey',
] as const;
type Rubbish = (typeof rubbish)[number];

/** Steps of clients who have no key, of agents, and of one caller who wants everything at once. */
export function makeOtherStep(random: Random, at: number, caller: number, replica: number): Step {
  const kind = random.pick(['stranger', 'stranger', 'agent', 'burst', 'greedy', 'flood', 'export', 'health']);
  const count = kind === 'greedy' || kind === 'flood' ? random.pick([50, 150, 400]) : random.pick([5, 20]);
  return {
    at,
    kind,
    caller,
    replica,
    rubbish: random.pick(rubbish),
    tool: random.below(8),
    share: random.next(),
    count,
    heldMs: random.pick([0, 500, 1_500]),
    back: random.below(3),
  };
}

const json = { 'content-type': 'application/json' };
const anyQuery = '{ missions(first: 1) { totalCount nodes { id } } }';

function rubbishOf(
  kind: Rubbish,
  account: Account,
): { method: string; path: string; headers: Record<string, string>; body?: string } {
  const graphql = (body: string, headers: Record<string, string> = {}) => ({
    method: 'POST',
    path: '/graphql',
    headers: { ...json, ...headers },
    body,
  });
  const mine = { authorization: `Bearer ${account.key}` };
  const { key } = account;
  switch (kind) {
    case 'noKey':
      return graphql(JSON.stringify({ query: anyQuery }));
    case 'madeUp':
      return graphql(JSON.stringify({ query: anyQuery }), { authorization: `Bearer made-up-${key.length}` });
    case 'longKey':
      return graphql(JSON.stringify({ query: anyQuery }), { authorization: `Bearer ${'k'.repeat(5_000)}` });
    case 'twoKeys':
      return graphql(JSON.stringify({ query: anyQuery }), {
        authorization: ['Bearer a', 'Bearer b'] as unknown as string,
      });
    case 'empty':
      return graphql('');
    case 'cutJson':
      return graphql('{"query":"{ missions');
    case 'array':
      return graphql('[{"query":"{ __typename }"}]');
    case 'number':
      return graphql('{"query":7}', mine);
    case 'deep':
      return graphql('['.repeat(2_000));
    case 'aliases':
      return graphql(
        JSON.stringify({
          query: `{ ${Array.from({ length: 300 }, (_, index) => `a${index}: __typename`).join(' ')} }`,
        }),
        mine,
      );
    case 'unknownField':
      return graphql(JSON.stringify({ query: `{ nobody(id: "${key}") }` }), mine);
    case 'keyInName':
      return graphql(JSON.stringify({ query: `query ${key} { __typename }`, operationName: key }), mine);
    case 'hugeDocument':
      return graphql(JSON.stringify({ query: `{ ${'__typename '.repeat(6_000)} }` }), mine);
    case 'keyInText':
      return graphql(
        JSON.stringify({ query: 'query ($f: Int) { missions(first: $f) { totalCount } }', variables: { f: key } }),
        mine,
      );
    case 'text':
      return { method: 'POST', path: '/graphql', headers: { 'content-type': 'text/plain', ...mine }, body: key };
    case 'put':
      return { method: 'PUT', path: '/graphql', headers: { ...json, ...mine }, body: '{}' };
    case 'path':
      return { method: 'GET', path: `/${encodeURIComponent(key)}`, headers: {} };
    case 'export':
      return { method: 'GET', path: '/exports/charges-breakdown.csv?startDate=2026-10-01', headers: {} };
    case 'tool':
      return {
        method: 'POST',
        path: '/mcp',
        headers: { ...json, accept: 'application/json, text/event-stream' },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
      };
    case 'bytes':
      return graphql('\u0000\u00ff\ufffd{}');
    default:
      return graphql(JSON.stringify({ query: 'subscription { webhookDeliveries { id } }' }), {
        accept: 'text/event-stream',
      });
  }
}

/** A client without a key that the API knows: a short answer, no call, and never a failure of the gateway's own. */
export async function playStranger(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const kind = argumentOf<Rubbish>(step, 'rubbish');
  const requestId = model.nextId();
  const question = rubbishOf(kind, account);
  question.headers['x-request-id'] = requestId;
  const replica = argumentOf<number>(step, 'replica');
  const begun = model.world.now();
  // A refusal that comes before the whole body may be lost with the connection.
  const isEarly = kind === 'text' || kind === 'put' || kind === 'twoKeys';
  const answer = await model.send(client, replica, question, null, isEarly);
  if (answer === null || (isEarly && answer.ended === 'cut')) return;
  const { status, body } = answer;
  model.count(`stranger ${kind} ${status}`);
  if (status >= 500)
    model.breach('a bad request is no failure of the gateway', `${kind}: ${status} ${body.slice(0, 200)}`);
  if (body.length > 262_144) model.breach('responses to unauthenticated clients are small', `${kind}: ${body.length}`);
  const calls = model.calls.of(requestId).length;
  const isMadeUp = kind === 'madeUp';
  if (calls > (isMadeUp ? 3 : 0)) model.breach('without a key there is no call', `${kind}: ${calls} calls`);
  if (!isMadeUp && model.world.now() - begun > 2_000 && !model.troubles.isTroubled(replica, begun, model.world.now()))
    model.breach('no caller waits for another beyond its share', `${kind}: ${model.world.now() - begun} ms`);
  if (kind === 'twoKeys' && status !== 400)
    model.breach('two credentials are refused', `${status} ${body.slice(0, 200)}`);
  if (['aliases', 'hugeDocument'].includes(kind) && !body.includes('"errors"'))
    model.breach('a query is bounded', `${kind}: ${status}`);
  if (
    ['noKey', 'madeUp', 'longKey'].includes(kind) &&
    !body.includes('"UNAUTHENTICATED"') &&
    !(isMadeUp && /UNAVAILABLE|TIMEOUT/.test(body))
  )
    model.breach('a field that needs the API needs a key', `${kind}: ${body.slice(0, 300)}`);
}

/** Equal questions at the same moment: one call. */
export async function playBurst(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const replica = argumentOf<number>(step, 'replica');
  const first = 2 + Math.floor(argumentOf<number>(step, 'share') * 17);
  const document = `{ missions(first: ${first}) { nodes { id name } } }`;
  const begun = model.world.now();
  model.hold(account.number, 1_500, 2_000);
  // One of them leaves, and the others get what they asked for all the same.
  const leaving = new AbortController();
  const leaves = argumentOf<number>(step, 'back') > 0;
  if (leaves) model.world.after(50 + argumentOf<number>(step, 'heldMs') / 2, () => leaving.abort());
  const replies = await Promise.all(
    Array.from({ length: argumentOf<number>(step, 'count') }, (_, index) =>
      model.ask(client, { account, replica, document, ...(leaves && index === 0 && { signal: leaving.signal }) }),
    ),
  );
  const whole = replies.filter((reply) => reply !== null);
  if (
    whole.length < replies.length - Number(leaves) ||
    model.faults.countFor(account.number, begun - 60_000, model.world.now()) > 0 ||
    model.troubles.isTroubled(argumentOf<number>(step, 'replica'), begun, model.world.now())
  )
    return;
  if (whole.some(({ errors }) => errors.length > 0)) return;
  const calls = whole.reduce((sum, reply) => sum + reply.calls.length, 0);
  // A list with odd counts is asked for once more.
  const { clamp, lie, meta } = account.manners.missions;
  const isPlain =
    clamp === null &&
    lie === 'none' &&
    meta === 'whole' &&
    account.lists.missions.between(begun, model.world.now()).length === 1;
  if (isPlain && calls > 1)
    model.breach('equal calls of one caller are made once', `${calls} calls for ${replies.length} of ${document}`);
  const bodies = new Set(whole.map(({ data }) => JSON.stringify(data)));
  if (isPlain && bodies.size > 1) model.breach('equal calls of one caller are made once', `${bodies.size} answers`);
}

/** One caller asks for much at once, and its calls take long: only itself may feel it. */
export async function playGreedy(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const replica = argumentOf<number>(step, 'replica');
  const count = argumentOf<number>(step, 'count');
  const heldMs = argumentOf<number>(step, 'heldMs');
  const done = model.beGreedy(account.number);
  const company = accompany(step, model, client);
  model.hold(account.number, heldMs, 10_000);
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      model.ask(client, {
        account,
        replica,
        document: `{ ipConnections(first: 1, filter: { fqdn: "g${step.at}-${index}" }) { totalCount } }`,
        codes: ['UPSTREAM_UNAVAILABLE'],
      }),
    ),
  );
  done();
  await company;
}

/** Another caller asks for a little beside one who asks for much. */
async function accompany(step: Step, model: Model, client: Client): Promise<void> {
  const others = model.accounts.filter(({ number }) => number !== step['caller']);
  for (let turn = 0; turn < 5; turn++) {
    await model.world.sleep(150);
    const account = others[turn % others.length];
    if (account === undefined) return;
    await model.ask(client, {
      account,
      replica: argumentOf<number>(step, 'replica'),
      document: `{ missions(first: ${turn + 1}) { nodes { id } } }`,
    });
  }
}

/** Clients with keys that the API does not know ask for much at once, and are refused slowly: nobody else may feel it. */
export async function playFlood(step: Step, model: Model, client: Client): Promise<void> {
  const replica = argumentOf<number>(step, 'replica');
  await greet(step, model, client);
  const done = model.beGreedy(-1);
  model.hold(-1, argumentOf<number>(step, 'heldMs'), 10_000);
  const ask = async (index: number): Promise<void> => {
    const headers = { ...json, authorization: `Bearer made-up-${step.at}-${index}`, 'x-request-id': model.nextId() };
    await model.send(
      client,
      replica,
      { method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query: anyQuery }) },
      null,
    );
  };
  const company = accompany({ ...step, caller: -1 }, model, client);
  await Promise.all(Array.from({ length: argumentOf<number>(step, 'count') }, (_, index) => ask(index)));
  await company;
  done();
}

/** The others show that the API accepts their keys, before clients come whose keys it does not. */
async function greet(step: Step, model: Model, client: Client): Promise<void> {
  const replica = argumentOf<number>(step, 'replica');
  const ask = (account: Account): Promise<unknown> =>
    model.ask(client, { account, replica, document: '{ missions(first: 1) { totalCount } }' });
  await Promise.all(model.accounts.map(ask));
}

/** The probes answer, whatever else goes on. */
export async function playHealth(step: Step, model: Model, client: Client): Promise<void> {
  const replica = argumentOf<number>(step, 'replica');
  const begun = model.world.now();
  const answer = await model.send(client, replica, { method: 'GET', path: '/health', headers: {} }, null);
  if (answer === null || model.troubles.isTroubled(replica, begun, model.world.now())) return;
  if (answer.status !== 200 || model.world.now() - begun > 1_000)
    model.breach('a gateway that lives says so', `${answer.status} after ${model.world.now() - begun} ms`);
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'world', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** An agent calls a tool: what it reads is its account's own, or an error of the catalogue. */
export async function playAgent(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const replica = argumentOf<number>(step, 'replica');
  const now = model.world.now();
  const delivery =
    account.lists.deliveries.rows[Math.floor(argumentOf<number>(step, 'share') * account.lists.deliveries.rows.length)];
  const connection = account.lists.connections.rows[0];
  const back = argumentOf<number>(step, 'back');
  const calls: readonly (readonly [name: string, args: object])[] = [
    ['newest_missions', { first: 3 }],
    ['delivery', { id: delivery?.id ?? 'nobody' }],
    ['connection_deliveries', { id: connection?.id ?? 'nobody', first: 2 }],
    ['spend', { startDate: monthAt(now, back), endDate: monthAt(now, back - 1) }],
    ['run_query', { query: anyQuery }],
    ['find_connections', { name: 'office' }],
    ['failed_deliveries', {}],
    ['charges_by_number', { startDate: monthAt(now, 1), first: 2 }],
  ];
  const [name, args] = calls[argumentOf<number>(step, 'tool')] as readonly [string, object];
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: envelope },
  });
  const headers = {
    ...json,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    authorization: `Bearer ${account.key}`,
    'x-request-id': model.nextId(),
  };
  const answer = await model.send(client, replica, { method: 'POST', path: '/mcp', headers, body }, account);
  if (answer === null) return;
  const text =
    answer.headers['content-type']?.includes('event-stream') === true
      ? (/^data: (.*)$/m.exec(answer.body)?.[1] ?? '')
      : answer.body;
  const told = model.parse(text, body) as {
    result?: { isError?: boolean; content?: readonly { text: string }[] };
    error?: unknown;
  } | null;
  if (told === null) return;
  const content = told.result?.content?.map((part) => part.text).join('\n') ?? '';
  model.count(`agent ${name} ${told.result?.isError === true ? 'error' : 'result'}`);
  if (told.result === undefined)
    return model.breach('a tool answers with a result', `${name}: ${answer.status} ${text.slice(0, 300)}`);
  if (told.result.isError !== true) {
    const own = model.calls.of(headers['x-request-id']);
    if (
      own.length > 0 &&
      own.every(({ fault }) => fault !== null && fault !== 'slow' && fault !== 'drip' && fault !== 'usedUp') &&
      !content.includes('"code"')
    )
      model.breach('a tool tells its errors', `${name}: ${content.slice(0, 200)}`);
    if (name !== 'newest_missions') return;
    const shown = [...content.matchAll(/a[\da-f]{7}-0000-4000-8000-[\da-f]{12}/g)].map(([id]) => id);
    const isRight = account.lists.missions.between(now - 70_000, model.world.now()).some(
      ({ rows }) =>
        rows
          .slice(0, 3)
          .map(({ id }) => id)
          .join() === [...new Set(shown)].join(),
    );
    if (!isRight) model.breach('a page is what the list was', `${name}: ${shown.join()}`);
    return;
  }
  const allowed = codesAllowed(model, account, replica, now, model.world.now());
  const codes = [...content.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => String(code));
  for (const code of codes) if (!allowed.has(code)) model.breach('every error has a reason', `${code}: tool ${name}`);
}
