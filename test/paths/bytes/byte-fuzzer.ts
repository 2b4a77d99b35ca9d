import { parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { machine, places } from '../../../src/transcoder/transcoder.ts';
import { poison } from './poison.ts';
import { Random } from '../../../src/sandbox/random.ts';
import * as records from '../../support/records.ts';
import { selectionOf } from '../../support/selection.ts';
import { createTwoWays } from '../plan/two-ways.ts';
import { mutated } from './damage.ts';
import { oddJson } from './odd-json.ts';

/** A body whose bytes show another answer than its values, or something that is not of this body. */
export interface ByteFault {
  readonly run: number;
  readonly what: 'two answers' | 'a canary' | 'memory';
  readonly query: string;
  readonly body: string;
  readonly shown: unknown;
  readonly expected?: unknown;
}

export interface FuzzReport {
  readonly bytes: number;
  readonly givenUp: number;
  readonly faults: readonly ByteFault[];
}

interface Subject {
  readonly query: string;
  readonly document: DocumentNode;
  readonly body: Buffer;
}

const dates = '(startDate: "2026-10-01", endDate: "2026-10-31")';
const texts = ['', 'é', 'Zürich 😀 日本', 'a\\/b', 'tab\t"quoted"\\', '\u2028', 'x'.repeat(40)];
// What lies in the memory when a body comes: plain text, and what would go on where a body ends too early.
const canaries = ['CANARY of another request ', '"CANARY"},{"id":"CANARY"}],"data":', 'CANARY":"CANARY","CANARY\\'];

// Fields in another order than on the wire.
const derived: Readonly<Record<string, string>> = {
  webhookDeliveries: 'attempts { errors http { request { url headers { value name } } } }',
};
const amounts =
  'summary { lines { ... on ComparativeLine { name existingThisMonth { mrc } } ... on SimpleLine { amount } } }';

/** One record of each kind and part of it, three or so to a body. */
function subjects(random: Random): readonly Subject[] {
  const free = { b: 'é', a: [1, null, { c: true }], d: {} };
  const rows: Readonly<Record<string, (index: number) => records.JsonRecord>> = {
    ipConnections: (index) =>
      records.ipConnectionRecord({ id: `c${index}`, connection_name: random.pick(texts), tags: random.some(texts) }),
    missions: (index) => records.missionRecord({ mission_id: `m${index}`, metadata: free, name: random.pick(texts) }),
    webhookDeliveries: (index) =>
      records.webhookDeliveryRecord({
        id: `d${index}`,
        attempts: [records.attemptRecord(), records.attemptRecord({ errors: [{ code: '75001', title: 'No' }, 7] })],
      }),
  };
  const meta = { total_results: 3, total_pages: 1, page_number: 1, page_size: 3 };
  const page = 'totalCount offset pageInfo { hasNextPage startCursor endCursor }';
  const subjectOf = (query: string, body: unknown): Subject => ({
    query,
    document: parse(query),
    body: Buffer.from(JSON.stringify(body)),
  });
  const lists = Object.entries(rows).flatMap(([name, make]) => {
    const data = [0, 1, 2].map(make);
    // The one secret is for plans.
    const whole = selectionOf(data[0] as records.JsonRecord).replace('ipAuthenticationToken', '');
    return [
      subjectOf(`{ ${name}(first: 3) { nodes ${whole} ${page} } }`, { data, meta }),
      subjectOf(`{ ${name}(first: 3) { ${page} nodes { __typename id } } }`, { data, meta }),
      subjectOf(`{ ${name}(first: 2, offset: 1) { nodes ${whole} } }`, { meta, data }),
      subjectOf(`{ ${name}(first: 3) { edges { cursor node { nodeId ${derived[name] ?? ''} } } } }`, { data, meta }),
    ];
  });
  const summary = records.chargesSummaryRecord();
  const results = [1, 2, 3].map((index) => records.chargesBreakdownResultRecord({ tn: `+1${index}` }));
  const report = records.chargesBreakdownRecord({ results });
  const plain = [
    ...lists,
    subjectOf(`{ chargesSummary${dates} ${selectionOf(summary)} }`, { data: summary }),
    subjectOf(`{ chargesSummary${dates} { ${amounts} } }`, { data: summary }),
    subjectOf(`{ chargesBreakdown${dates} ${selectionOf(report)} }`, { data: report }),
  ];
  // What another program might write: it may be given up for a reason of its own, whatever is done to it.
  const odd = plain.map(({ body, ...query }) => ({
    ...query,
    body: Buffer.from(oddJson(JSON.parse(body.toString()), random)),
  }));
  return [...plain, ...plain, ...odd];
}

/** The static data of the transcoder, which no run may change. */
function readOnly(): Buffer {
  return Buffer.from(machine.bytes.subarray(0, places.forms));
}

/** Shows mutated bodies by bytes and by values, until so many have been shown or so many faults found. */
export async function fuzzBytes(
  schema: GraphQLSchema,
  { seed, runs, mostFaults = 3 }: { readonly seed: string; readonly runs: number; readonly mostFaults?: number },
): Promise<FuzzReport> {
  const { written, compiled } = createTwoWays(schema);
  const all = subjects(new Random(seed));
  const before = readOnly();
  const faults: ByteFault[] = [];
  const tally = { bytes: 0, givenUp: 0 };
  let last: Buffer = Buffer.alloc(0);
  for (let run = 0; run < runs && faults.length < mostFaults; run++) {
    const random = new Random(`${seed} ${run}`);
    const { query, document, body: own } = random.pick(all);
    const body = mutatedBody(own, last, random);
    last = body;
    poison(random.pick(canaries));
    const exposeSecrets = random.chance(0.2);
    const question = {
      document,
      variables: null,
      exposeSecrets,
      world: { answer: () => ({ status: 200, headers: {}, body }) },
    };
    const { took, ...shown } = await written(question);
    tally[took === 'bytes' ? 'bytes' : 'givenUp']++;
    const fault = { run, query, body: body.toString('latin1'), shown };
    if (!before.equals(readOnly())) faults.push({ ...fault, what: 'memory' });
    if (shown.data?.includes('CANARY') === true) faults.push({ ...fault, what: 'a canary' });
    if (took !== 'bytes') continue;
    const { took: _took, ...expected } = await compiled(question);
    if (JSON.stringify(shown) !== JSON.stringify(expected)) faults.push({ ...fault, what: 'two answers', expected });
  }
  return { ...tally, faults };
}

/** Most bodies stay near to JSON: of broken ones nothing is shown, and nothing can be compared. */
function mutatedBody(own: Buffer, last: Buffer, random: Random): Buffer {
  if (random.chance(0.02)) return own.subarray(0, random.int(0, own.length));
  if (random.chance(0.02)) return Buffer.concat([own.subarray(0, random.int(0, own.length)), last]);
  let body = own;
  for (let count = random.pick([1, 1, 1, 2, 3, 6]); count > 0; count--) body = mutated(body, random);
  return body;
}
