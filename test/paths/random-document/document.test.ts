import { request as send, Agent } from 'node:http';
import { GatewayError } from '../../../src/errors.ts';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { Random } from '../../../src/sandbox/random.ts';
import { expect, test } from '../../support/gateway.ts';
import { runs } from '../../support/runs.ts';
import { hang, hangUp, type Script } from '../../support/scripted-upstream.ts';
import { createWorld } from '../plan/world.ts';
import type { Harvest } from './argument.ts';
import { randomRequest, type RandomRequest } from './document.ts';

// FUZZ_SEED repeats a run, except for handouts, whose order follows the responses; FUZZ_DOCUMENTS makes a longer one.
const seed = process.env['FUZZ_SEED'] ?? String(Date.now());
const count = Number(process.env['FUZZ_DOCUMENTS'] ?? runs(400));
const atOnce = 16;
const callers = 100;
const modern = 'application/graphql-response+json';

const codes =
  /^(?:BAD_USER_INPUT|UNAUTHENTICATED|FORBIDDEN|NOT_FOUND|UNPROCESSABLE_ENTITY|RATE_LIMITED|UPSTREAM_\w+|QUERY_TOO_COMPLEX|GRAPHQL_\w+|BAD_REQUEST|OPERATION_RESOLUTION_FAILURE)$/;

/** A response to a GraphQL request as it came. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface Told {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: unknown; readonly retryable?: unknown; readonly requestId?: unknown };
}

/** An upstream that is another one for each caller: well, odd, short of pages, or failing in every way there is. */
function upstreamOfMoods(): Script {
  const worlds = Array.from({ length: callers }, (_, index) => createWorld(`${seed} ${index}`));
  return ({ path, rawQuery, headers }) => {
    try {
      const own = worlds[Number(String(headers.authorization).replace('Bearer key-', ''))];
      const {
        status,
        headers: sent,
        body,
      } = own?.answer(`${path}?${rawQuery}`) ?? { status: 404, headers: {}, body: '' };
      return { status, headers: sent as Readonly<Record<string, string>>, text: String(body) };
    } catch (error) {
      return error instanceof GatewayError && error.code === 'UPSTREAM_TIMEOUT' ? hang : hangUp;
    }
  };
}

function ask(url: string, body: RandomRequest, accept: string, key: string, agent: Agent): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept };
  return new Promise((resolve, reject) => {
    const asking = send(`${url}/graphql`, { method: 'POST', headers, agent }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.once('end', () => resolve({ status: res.statusCode ?? 0, type: res.headers['content-type'] ?? '', text }));
      res.once('error', reject);
    });
    asking.once('error', reject).end(JSON.stringify(body));
  });
}

/** Keeps the cursors and identifiers of a response, to be sent back. */
function gather(text: string, { cursors, nodeIds, ids }: Harvest): void {
  for (const [, name, value = ''] of text.matchAll(/"(\w*[cC]ursor|nodeId|id)":"([^"\\]*)"/g))
    (name === 'nodeId' ? nodeIds : name === 'id' ? ids : cursors).push(value);
  for (const list of [cursors, nodeIds, ids]) list.splice(0, list.length - 50);
}

test(
  `every random document gets a whole response, whatever the upstream does (FUZZ_SEED=${seed})`,
  { timeout: 60_000 + count * 60 },
  async ({ startWith, upstream }) => {
    const gateway = await startWith({
      UPSTREAM_TIMEOUT_MS: '200',
      OPERATION_TIMEOUT_MS: '1000',
      UPSTREAM_BREAKER_OPEN_MS: '1',
      LOG_LEVEL: 'error',
    });
    upstream.script(upstreamOfMoods());
    const schema = createSchema(readTypeDefs());
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    const harvest: Harvest = { cursors: [], nodeIds: [], ids: [] };
    const faults: unknown[] = [];
    const tally = { refused: 0, whole: 0, partial: 0 };
    const numbers = Array.from({ length: count }, (_, index) => index).values();

    const work = async (): Promise<void> => {
      for (const number of numbers) {
        const random = new Random(`${seed} ${number}`);
        const body = randomRequest(schema, random, harvest);
        const accept = random.pick(['application/json', modern]);
        const answer = await ask(gateway.url, body, accept, `key-${random.int(0, callers - 1)}`, agent);
        gather(answer.text, harvest);
        const found = faultsOf(answer, accept);
        if (found.length > 0) faults.push({ number, found, body, text: answer.text.slice(0, 500) });
        tally[/"data":/.test(answer.text) ? (/"errors":/.test(answer.text) ? 'partial' : 'whole') : 'refused']++;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    agent.destroy();

    // Figures to look at.
    console.log(`${count} documents: ${JSON.stringify(tally)}, ${upstream.requests.length} upstream calls`);
    expect(faults).toEqual([]);
    // A line at this level is a fault of the gateway's own.
    expect(gateway.log).toEqual([]);
    // A run of nothing but refusals would prove little.
    expect(tally.refused / count).toBeLessThan(0.5);
    expect(tally.whole).toBeGreaterThan(0);
    await expect(gateway.query('{ __typename }')).resolves.toMatchObject({
      status: 200,
      data: { __typename: 'Query' },
    });
  },
);

/** The faults of a response, as sentences; none where it keeps all promises. */
function faultsOf({ status, type, text }: Answer, accept: string): readonly string[] {
  const faults: string[] = [];
  const { data, errors = [] } = JSON.parse(text) as { readonly data?: unknown; readonly errors?: readonly Told[] };
  if (!type.startsWith(accept)) faults.push(`the type is ${type}`);
  const isFitting = data === undefined ? (status >= 400 && status < 500) || accept !== modern : status === 200;
  if (!isFitting || status >= 500) faults.push(`the status is ${status}`);
  if (data === undefined && errors.length === 0) faults.push('there is neither data nor an error');
  for (const { message, path, extensions } of errors) {
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
