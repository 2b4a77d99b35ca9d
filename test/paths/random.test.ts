import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSchema } from '../../src/resources/schema.ts';
import { Random } from '../../src/sandbox/random.ts';
import { machine, places } from '../../src/transcoder/transcoder.ts';
import { runs, seed } from '../support/runs.ts';
import type { Script } from '../support/scripted-upstream.ts';
import { cutBody, damaged, sendPieces } from './random/body.ts';
import { asEvent, dataOf, outcomeOf, post, startPaths, waysOf, type Outcome, type Paths } from './every-path.ts';
import { randomRequest, randomRowDocument, type Harvest, type RandomRequest } from './random/document.ts';
import { createWorld, idOf, scriptOf, type World } from './random/world.ts';

const schema = createSchema();
const room = { LIMIT_COST: '100000000', LIMIT_TOKENS: '100000', LIMIT_ALIASES: '10000', LOG_LEVEL: 'error' };
const worlds = Array.from({ length: 12 }, (_, index) => createWorld(`${seed} world ${index}`));
const harvest: Harvest = { cursors: [], nodeIds: [], ids: Array.from({ length: 8 }, (_, index) => idOf(index)) };

let hiding: Paths;
let exposing: Paths;

beforeAll(async () => {
  hiding = await startPaths(room);
  exposing = await startPaths({ ...room, EXPOSE_SECRETS: 'true' });
  await gatherHandouts();
});

afterAll(async () => {
  await hiding.close();
  await exposing.close();
});

/** Gathers cursors and references from all worlds, to be sent back. */
async function gatherHandouts(): Promise<void> {
  const lists = ['ipConnections', 'missions', 'webhookDeliveries'].map(
    (name) => `${name} { edges { cursor node { nodeId } } }`,
  );
  const report = 'chargesBreakdown(startDate: "2026-10-01", endDate: "2026-10-31") { results { edges { cursor } } }';
  for (const world of worlds) {
    hiding.upstream.script(scriptOf(world));
    const { text } = await hiding.judge.query(`{ ${lists.join(' ')} ${report} }`);
    for (const [, name, value = ''] of text.matchAll(/"(cursor|nodeId)":"([^"]*)"/g))
      (name === 'cursor' ? harvest.cursors : harvest.nodeIds).push(value);
  }
  const some = new Random(seed);
  for (const list of [harvest.cursors, harvest.nodeIds])
    list.splice(0, list.length, ...Array.from({ length: 20 }, () => some.pick(list)));
}

interface Upstream {
  readonly world: World;
  readonly isDamaged: boolean;
  /** Equal marks: equal damage, and equal pieces. */
  readonly mark: string;
}

/** Answers as a world does, whose bodies come in pieces, and some of them damaged: equal calls get equal answers. */
function damagedScriptOf({ world, isDamaged, mark }: Upstream): Script {
  return (request) => {
    const answer = world(request);
    if (answer === null) return { act: (res) => void res.destroy() };
    const { status, headers } = answer;
    if (status === 204) return { status };
    const random = new Random(`${mark} ${request.path}?${request.rawQuery}`);
    const body = isDamaged ? damaged(answer.body, random) : answer.body;
    const pieces = random.chance(0.3) ? cutBody(body, random) : [body];
    const isChunked = random.chance(0.75);
    return { act: (res) => sendPieces(res, { status, headers }, pieces, isChunked) };
  };
}

/** Most documents are of rows, which bytes tell. */
function documentOf(random: Random): RandomRequest {
  if (random.chance(0.6)) return { query: randomRowDocument(schema, random, harvest.cursors), variables: {} };
  return randomRequest(schema, random, harvest);
}

// What lies in the transcoder's memory when a body comes: plain text, and what would go on where a body ends too early.
const canaries = ['CANARY of another request ', '"CANARY"},{"id":"CANARY"}],"data":', 'CANARY":"CANARY","CANARY\\'];

function poison(text: string): void {
  const { result, tables, tablesEnd, input, output, gaps, opened } = places;
  machine.bytes.fill(text, result, tables);
  machine.bytes.fill(text, tablesEnd, input + 65_536);
  machine.bytes.fill(text, output, output + 65_536);
  machine.bytes.fill(text, gaps, opened + 65_536);
}

/** What is left to compare. */
function comparable(outcome: Outcome, query: string): string {
  // Each path has a key of its own, and a list that contradicts itself is read again by whoever meets it.
  const calls = [...new Set(outcome.calls.map((call) => call.replace(/ Bearer \S+$/, '')))];
  // How far a search has asked ahead is a matter of time; so is what is still to be asked where something has failed.
  const isSearch =
    outcome.errors.length > 0 ||
    /\b(?:nodes?\(|ipConnection\b|mission\b|webhookDelivery\b|_entities|delivery)/.test(query);
  const headers = outcome.headers.filter((line) => !line.startsWith('x-request-id'));
  return JSON.stringify({ ...outcome, headers, calls: isSearch ? [] : calls });
}

const count = runs(60);
const timeout = 120_000 + count * 2_000;

test(
  `every document has one whole answer on every path, whatever the upstream says (SEED=${seed})`,
  { timeout },
  async () => {
    const faults: unknown[] = [];
    const tally = { refused: 0, whole: 0, partial: 0 };
    const tables = Buffer.from(machine.bytes.subarray(0, places.forms));
    for (let number = 0; number < count && faults.length < 3; number++) {
      const random = new Random(`${seed} ${number}`);
      const paths = random.chance(0.8) ? hiding : exposing;
      const given = documentOf(random);
      const upstream = { world: random.pick(worlds), isDamaged: random.chance(0.4), mark: `${seed} ${number}` };
      paths.upstream.script(damagedScriptOf(upstream));
      // Callers of their own, so that nobody is refused for what another has met. Their names are equally long, as the answers are to be.
      const ask = (gateway: Paths['gateway'], name: 'judge' | 'quick' | 'plans' | 'known', make: typeof post) => {
        poison(random.pick(canaries));
        const headers = { authorization: `Bearer ${name}-key`, accept: 'application/graphql-response+json' };
        return outcomeOf(paths, gateway, make(given, headers), `${name}-${number}`);
      };
      const expected = await ask(paths.judge, 'judge', post);
      const { status, headers } = expected;
      const asks = [
        () => ask(paths.gateway, 'quick', post),
        // An event has a head of its own.
        async () => ({ ...(await ask(paths.gateway, 'plans', asEvent)), status, headers }),
        () => ask(paths.gateway, 'known', post),
      ];
      // The first of them meets a document that is new.
      for (const askNow of random.chance(0.4) ? asks : [asks[1], asks[0]]) {
        const seen = await askNow?.();
        if (seen !== undefined && comparable(seen, given.query) !== comparable(expected, given.query))
          faults.push({ number, given, expected, seen });
        if (seen?.text.includes('CANARY') === true) faults.push({ number, given, canary: seen.text });
      }
      const broken = brokenPromises(expected);
      if (broken.length > 0) faults.push({ number, given, broken, expected });
      tally[!expected.text.includes('"data":') ? 'refused' : expected.errors.length > 0 ? 'partial' : 'whole']++;
    }
    const ways = await waysOf(hiding.gateway);
    // Figures to look at.
    console.log(`${count} documents: ${JSON.stringify(tally)}, ${JSON.stringify(ways)}`);
    expect(faults).toEqual([]);
    // A line at this level is a fault of the gateway's own.
    for (const { gateway, judge } of [hiding, exposing]) expect([...gateway.log, ...judge.log]).toEqual([]);
    // No body may change what the transcoder reads all bodies by.
    expect(tables.equals(machine.bytes.subarray(0, places.forms))).toBe(true);
    // A run of refusals, or one without bytes, would prove little.
    expect(tally.whole / count).toBeGreaterThan(0.2);
    expect(ways.bytes / count).toBeGreaterThan(0.1);
    expect(ways.compiled / count).toBeGreaterThan(0.1);
  },
);

const codes =
  /^(?:BAD_USER_INPUT|UNAUTHENTICATED|FORBIDDEN|NOT_FOUND|UNPROCESSABLE_ENTITY|RATE_LIMITED|UPSTREAM_\w+|QUERY_TOO_COMPLEX|GRAPHQL_\w+|BAD_REQUEST|OPERATION_RESOLUTION_FAILURE)$/;

/** The faults of a response, as sentences; none where it keeps all promises. */
function brokenPromises(outcome: Outcome): readonly string[] {
  const faults: string[] = [];
  const { status, errors } = outcome;
  const data = dataOf(outcome);
  const isFitting = data === undefined ? status >= 400 && status < 500 : status === 200;
  if (!isFitting) faults.push(`the status is ${status}`);
  if (data === undefined && errors.length === 0) faults.push('there is neither data nor an error');
  for (const { message, path, extensions } of errors.map((error) => JSON.parse(error))) {
    if (!codes.test(String(extensions?.code))) faults.push(`the code is ${String(extensions?.code)}: ${message}`);
    if (typeof extensions?.retryable !== 'boolean' || typeof extensions.requestId !== 'string' || message === '')
      faults.push(`an error is not whole: ${message}`);
    if (data != null && (path === undefined || !leadsToNull(data, path)))
      faults.push(`an error at ${String(path)} has a value: ${message}`);
    if (/\n {4}at |node:|127\.0\.0\.1/.test(message)) faults.push(`an error reveals its inside: ${message}`);
  }
  return faults;
}

function leadsToNull(data: unknown, path: readonly (string | number)[]): boolean {
  let value = data;
  for (const name of path) {
    if (value === null) return true;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return value === null;
}
