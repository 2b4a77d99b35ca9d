import type { GraphQLSchema } from 'graphql';
import { Random } from '../../src/sandbox/random.ts';
import type { Harvest } from '../fuzz/argument.ts';
import { randomRequest } from '../fuzz/document.ts';
import type { Ending, Outcome, SoakClient } from './client.ts';

/** The figures of a period of load. */
export interface Tally {
  readonly outcomes: Record<Outcome, number>;
  readonly byKind: Record<string, number>;
  readonly faults: string[];
  longestMs: number;
}

export interface LoadOptions {
  readonly client: SoakClient;
  readonly schema: GraphQLSchema;
  readonly seconds: number;
  /** Requests a second at most. */
  readonly rate: number;
  readonly atOnce: number;
  readonly seed: string;
}

interface Visitor {
  readonly client: SoakClient;
  readonly schema: GraphQLSchema;
  readonly random: Random;
  readonly key: string;
}

type Visit = (visitor: Visitor) => Promise<readonly Ending[]>;

const ask = ({ client, key }: Visitor, query: string, variables: object = {}, leaveAfterMs?: number): Promise<Ending> =>
  client.send({
    path: '/graphql',
    key,
    body: JSON.stringify({ query, variables }),
    isGraphql: true,
    ...(leaveAfterMs !== undefined && { leaveAfterMs }),
  });

const page = `query ($after: String) {
  webhookDeliveries(first: 7, after: $after) { nodes { nodeId id status attempts { http { request { url } } } } pageInfo { endCursor } }
}`;
const all = `{
  chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency total { grandTotal } }
  chargesBreakdown(startDate: "2026-10-01") { results(first: 500) { totalCount nodes { tn services { cost } } } }
  ipConnections(first: 500) { nodes { id connectionName inbound { codecs } outbound { channelLimit } } totalCount }
  missions(first: 500) { edges { cursor node { id name metadata } } }
}`;
const relations = `{
  ipConnections(first: 5) { nodes { id webhookDeliveries(first: 3) { nodes { id ipConnection { id } } } } }
}`;
const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const lookUps = (from: number): string => `{
  mission(id: "${idOf(from)}") { id } webhookDelivery(id: "${idOf(from + 1)}") { id } ipConnection(id: "nobody") { id }
  _entities(representations: [{ __typename: "Mission", id: "${idOf(from + 2)}" }]) { ... on Mission { name } }
}`;
const report = '/exports/charges-breakdown.csv?startDate=2026-10-01';

async function pageOn(visitor: Visitor): Promise<readonly Ending[]> {
  const endings: Ending[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 4; pages++) {
    const ending = await ask(visitor, page, { after });
    endings.push(ending);
    after = /"endCursor":"([^"]+)"/.exec(ending.text)?.[1];
    if (after === undefined) break;
  }
  return endings;
}

const nobodysHarvest: Harvest = { cursors: [], nodeIds: [], ids: [idOf(1), idOf(2)] };

const badInput: Visit = async (visitor) => {
  const { client, key, random, schema } = visitor;
  // From a bounded set: what the caches of the gateway hold is then the same at the start and at the end.
  const { query, variables } = randomRequest(schema, new Random(`bad ${random.int(1, 40)}`), nobodysHarvest);
  const requests = [
    () => ask(visitor, query, variables),
    () => client.send({ path: '/graphql', key, body: '{"query":', isGraphql: false }),
    () => client.send({ path: '/graphql', key: 'k"k', body: JSON.stringify({ query: page }), isGraphql: false }),
    () => client.send({ path: `${report.slice(0, -2)}99`, key }),
    () => client.send({ path: '/nowhere', key }),
  ];
  return [await random.pick(requests)()];
};

const visits: Readonly<Record<string, Visit>> = {
  'everything at once': async (visitor) => [await ask(visitor, all)],
  'pages by cursor': pageOn,
  'look-ups': async (visitor) => [await ask(visitor, lookUps(visitor.random.int(0, 50)))],
  relations: async (visitor) => [await ask(visitor, relations)],
  exports: async ({ client, key }) => [await client.send({ path: report, key, mayBreakOff: true })],
  'exports left': async ({ client, key, random }) => [
    await client.send({ path: report, key, mayBreakOff: true, leaveAfterMs: random.int(1, 60) }),
  ],
  'queries left': async (visitor) => [await ask(visitor, all, {}, visitor.random.int(1, 60))],
  'bad input': badInput,
};

/** Puts a mixed load on a gateway, bounded in rate and in requests at once; resolves when every request has ended. */
export async function load({ client, schema, seconds, rate, atOnce, seed }: LoadOptions): Promise<Tally> {
  const tally: Tally = {
    outcomes: { answered: 0, faulty: 0, left: 0, 'broken off': 0, lost: 0 },
    byKind: {},
    faults: [],
    longestMs: 0,
  };
  const note = (kind: string, { outcome, milliseconds, faults }: Ending): void => {
    tally.outcomes[outcome]++;
    tally.byKind[kind] = (tally.byKind[kind] ?? 0) + 1;
    tally.longestMs = Math.max(tally.longestMs, milliseconds);
    if (outcome === 'faulty' || outcome === 'lost') tally.faults.push(`${kind}: ${faults.join('; ')}`);
  };
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1000;
  const random = new Random(seed);
  const kinds = Object.entries(visits);
  let begun = 0;
  const work = async (): Promise<void> => {
    while (elapsed() < seconds) {
      const waitMs = (begun / rate - elapsed()) * 1000;
      begun++;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const [kind, visit] = random.pick(kinds);
      const endings = await visit({ client, schema, random, key: `soak-key-${random.int(1, 200)}` });
      begun += endings.length - 1;
      for (const ending of endings) note(kind, ending);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return tally;
}
