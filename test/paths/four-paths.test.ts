import { parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { Random } from '../../src/sandbox/random.ts';
import { randomRequest } from './random-document/document.ts';
import { ByteOperations } from './bytes/byte-operation.ts';
import { damaged } from './bytes/damage.ts';
import { createWorld, idOf } from './plan/world.ts';
import { cutBody, cutKinds, sendPieces } from '../support/cut-body.ts';
import { offFastPath } from '../support/fast-path.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startScriptedUpstream, type Reply, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { runs } from '../support/runs.ts';

// FOUR_PATHS_SEED repeats a run, FOUR_PATHS makes a longer one, FOUR_PATHS_ONLY runs one operation of it.
const seed = process.env['FOUR_PATHS_SEED'] ?? String(Date.now());
const count = Number(process.env['FOUR_PATHS'] ?? runs(80));
const only = process.env['FOUR_PATHS_ONLY'];
const room = { LIMIT_COST: '100000000', LIMIT_TOKENS: '100000', LIMIT_ALIASES: '10000', LOG_LEVEL: 'error' };

const schema = createSchema(readTypeDefs());
const worlds = Array.from({ length: 40 }, (_, index) => createWorld(`${seed} world ${index}`));

/** A gateway that compiles operations and one that does not. */
interface Pair {
  readonly compiling: Gateway;
  readonly plain: Gateway;
}

let upstream: ScriptedUpstream;
let pairs: readonly Pair[];

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const pairWith = async (env: Readonly<Record<string, string>>): Promise<Pair> => ({
    compiling: await startGateway(upstream.baseUrl, { ...room, ...env }),
    plain: await startGateway(upstream.baseUrl, { ...room, ...env, COMPILE_OPERATIONS: 'false' }),
  });
  pairs = [await pairWith({}), await pairWith({ EXPOSE_SECRETS: 'true' })];
});

afterAll(async () => {
  for (const { compiling, plain } of pairs) for (const gateway of [compiling, plain]) await gateway.close();
  await upstream.close();
});

/** The upstream's part of an operation: the same response to the same call, in pieces that are the same each time. */
function scriptFor(random: Random): (path: string) => Reply {
  const world = random.pick(worlds);
  const isDamaged = random.chance(0.4);
  const kind = random.pick(cutKinds);
  const framing = random.pick(['chunked', 'chunked', 'chunked', 'length'] as const);
  const mark = String(random.int(0, 1e9));
  return (path) => {
    try {
      const { status, headers, body } = world.answer(path);
      const own = new Random(`${mark} ${path}`);
      const sent = isDamaged ? damaged(body, own) : body;
      // What a caller is refused for a while is not what is compared here.
      const head = { status: status === 429 ? 418 : status, headers: plainHeaders(headers) };
      if (status === 204 || status === 304) return { status };
      return { act: (res) => sendPieces(res, head, cutBody(sent, kind, own), framing) };
    } catch {
      return { act: (res) => void res.destroy() };
    }
  };
}

function plainHeaders({ 'retry-after': _retryAfter, ...headers }: Readonly<Record<string, unknown>>) {
  return headers as Readonly<Record<string, string>>;
}

function operationOf(random: Random, cursors: readonly string[]) {
  if (random.chance(0.8))
    return { query: new ByteOperations(schema, random, cursors).write(), variables: {}, isSearching: false };
  const ids = Array.from({ length: 8 }, (_, index) => idOf(index));
  return { ...randomRequest(schema, random, { cursors: [...cursors], nodeIds: [], ids }, 0), isSearching: true };
}

/** What a client sees, and what the upstream was asked. */
interface Seen {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly calls: readonly string[];
}

/** Fewer callers than a breaker judges: what the upstream does is the same for all paths. */
async function see(gateway: Gateway, body: object, key: string, id: string): Promise<Seen> {
  upstream.requests.length = 0;
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-request-id': id },
    body: JSON.stringify(body),
  });
  const text = (await response.text()).replaceAll(id, 'the-request');
  // Another request whose answer failed early may still be asking for more.
  const own = upstream.requests.filter(({ headers }) => headers['x-request-id'] === id);
  const calls = own.map(({ path, rawQuery }) => `${path}?${rawQuery}`);
  // A list that contradicts itself is read again by whoever meets it.
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text,
    calls: [...new Set(calls)].sort(),
  };
}

/** Errors have no order of their own (GraphQL, section 7.1.2). */
function comparable(given: Seen, isSearching: boolean): string {
  // How many pages a search has asked for ahead when it finds its row is a matter of time.
  const seen = isSearching ? { ...given, calls: [] } : given;
  const { errors = [] } = JSON.parse(seen.text) as { errors?: readonly unknown[] };
  if (errors.length === 0) return JSON.stringify(seen);
  const text = seen.text.replace(JSON.stringify(errors), '');
  // Calls of a reading that has failed are not made any more, unless they are under way by then.
  return JSON.stringify({ ...seen, calls: [], text, errors: errors.map((error) => JSON.stringify(error)).sort() });
}

async function countsOf(gateway: Gateway): Promise<Readonly<Record<string, number>>> {
  const text = await (await gateway.fetch('/metrics')).text();
  const found = text.matchAll(/^switchboard_operations_total\{way="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, way = '', times]) => [way, Number(times)]));
}

// Without a second attempt: beside a first one that goes on, it would share its upstream, and report faults of its own making.
test(
  `bytes, plans, graphql-js and Yoga give one response, wherever bodies are cut (FOUR_PATHS_SEED=${seed})`,
  { timeout: 300_000 + count * 1_000, retry: 0 },
  async () => {
    const faults: unknown[] = [];
    const cursors: string[] = [];
    let whole = 0;
    const numbers = only === undefined ? Array.from({ length: count }, (_, index) => index) : [Number(only)];
    for (const number of numbers) {
      const random = new Random(`${seed} ${number}`);
      const { isSearching, ...operation } = operationOf(random, only === undefined ? cursors : []);
      if (validate(schema, parse(operation.query)).length > 0) continue;
      const { compiling, plain } = random.pick(pairs);
      const reply = scriptFor(random);
      upstream.script(({ path, rawQuery }) => reply(`${path}?${rawQuery}`));
      const slow = { ...operation, extensions: offFastPath };
      const seen = {
        yoga: await see(plain, slow, 'key-1', `yoga-${number}`),
        general: await see(plain, operation, 'key-2', `general-${number}`),
        compiled: await see(compiling, slow, 'key-3', `compiled-${number}`),
        bytes: await see(compiling, operation, 'key-4', `bytes-${number}`),
        unseen: await see(compiling, { ...operation, query: `${operation.query} ` }, 'key-5', `unseen-${number}`),
      };
      const expected = comparable(seen.yoga, isSearching);
      if (Object.values(seen).some((one) => comparable(one, isSearching) !== expected))
        faults.push({ number, operation, seen });
      if (!seen.yoga.text.includes('"errors"')) whole++;
      cursors.push(...[...seen.yoga.text.matchAll(/Cursor":"([^"]+)"/g)].map(([, cursor = '']) => cursor));
      cursors.splice(0, cursors.length - 20);
    }
    const taken = await Promise.all(pairs.map(({ compiling }) => countsOf(compiling)));
    // Figures to look at.
    console.log(
      `${numbers.length} operations, ${whole} without errors, ${faults.length} faults: ${JSON.stringify(taken)}`,
    );
    expect(faults.slice(0, 2)).toEqual([]);
    if (only !== undefined) return;
    expect(whole / count).toBeGreaterThan(0.2);
    expect(taken[0]?.['bytes']).toBeGreaterThan(count / 20);
  },
);
