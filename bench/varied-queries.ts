import { firstPage, loadQueries, three, type BenchQuery, type Period } from './queries.ts';

const day = 86_400_000;

/** The nth period of at most 31 days, none of them twice: some two million. */
function periodOf(turn: number): Period {
  const start = Date.UTC(1900, 0, 1) + Math.floor(turn / 30) * day;
  const text = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
  return { startDate: text(start), endDate: text(start + ((turn % 30) + 1) * day) };
}

/** Filters of the nth request, which no other has. The upstream of the benchmark sends the same rows for all. */
const connectionsOf = (turn: number): object => ({ connections: { fqdn: `office-${turn}.example.com` } });
const deliveriesOf = (turn: number): object => ({ deliveries: { webhook: { contains: `call-${turn}` } } });

/** The document with a filter as a variable at each list that takes one. */
function filtered(document: string): string {
  const lists = [
    ['ipConnections', 'connections', 'IpConnectionFilter'],
    ['webhookDeliveries', 'deliveries', 'WebhookDeliveryFilter'],
  ] as const;
  return lists
    .filter(([field]) => document.includes(`${field}(`))
    .reduce(
      (text, [field, variable, type]) =>
        text
          .replace('($first: Int!', `($first: Int!, $${variable}: ${type}`)
          .replace(`${field}(first: $first`, `${field}(first: $first, filter: $${variable}`),
      document,
    );
}

const queryOf = (name: string): BenchQuery => loadQueries.find((query) => query.name === name) as BenchQuery;

function neverRepeating(name: string, title: string, variablesOf: (turn: number) => object): BenchQuery {
  const query = queryOf(name);
  return {
    ...query,
    name: `${name}v`,
    title,
    document: filtered(query.document),
    vary: (turn) => ({ variables: { ...query.variables, ...variablesOf(turn) } }),
    turns: Number.POSITIVE_INFINITY,
    only: three,
    paced: ['floor', 'switchboard'],
  };
}

/** The query by `edges { cursor node }`, as Relay and Apollo Client ask, in place of `nodes`. */
function byEdges(name: string): BenchQuery {
  const query = queryOf(name);
  const document = query.document.replace(/^( *)nodes \{\n([^]*?)^\1\}$/gm, '$1edges { cursor node {\n$2$1} }');
  const title = `${query.title}, by edges`;
  return {
    ...query,
    name: `${name}e`,
    title,
    document,
    only: [...three, 'floor-piping'],
    floorName: name,
    paced: [],
  };
}

// Selections of connections and deliveries, each an operation of its own.
const connectionFields = [
  'id',
  'connectionName',
  'active',
  'transportProtocol',
  'createdAt',
  'webhookEventUrl',
  'tags',
];
const deliveryFields = ['id', 'status', 'startedAt', 'finishedAt', 'webhook { eventType }', 'attempts { status }'];

function operationOf(turn: number): string {
  const [name, fields] =
    turn % 2 === 0 ? ['ipConnections', connectionFields] : (['webhookDeliveries', deliveryFields] as const);
  const from = Math.floor(turn / 2) % fields.length;
  const chosen = [...fields.slice(from), ...fields.slice(0, from)].slice(0, 3 + (turn % 3));
  return `query Turn${turn}($first: Int!) { ${name}(first: $first) { nodes { ${chosen.join(' ')} } pageInfo { hasNextPage } } }`;
}

const operationCount = 20;
const [q1, q3] = [queryOf('q1'), queryOf('q3')];
const cpuAlone = { only: three, paced: [] } as const;

/** What is asked under load besides, of the floor, Switchboard and the fastest peer. */
export const variedQueries: readonly BenchQuery[] = [
  ...['q1', 'q2', 'q3', 'q6'].map(byEdges),
  neverRepeating('q1', 'q1 with a filter that never repeats', connectionsOf),
  neverRepeating('q2', 'q2 with a filter that never repeats', connectionsOf),
  neverRepeating('q3', 'q3 with a filter that never repeats', deliveriesOf),
  neverRepeating('q4', 'q4 for a period that never repeats', periodOf),
  neverRepeating('q6', 'q6 for a period and with filters that never repeat', (turn) => ({
    ...periodOf(turn),
    ...connectionsOf(turn),
    ...deliveriesOf(turn),
  })),
  {
    ...q1,
    ...cpuAlone,
    name: 'turns',
    title: '20 operations in turn',
    vary: (turn) => ({
      document: operationOf(turn % operationCount),
      floorName: turn % 2 === 0 ? 'turns' : 'turns-of-deliveries',
    }),
    turns: operationCount,
  },
  { ...q1, ...cpuAlone, name: 'q1far', title: 'q1 in front of an upstream that takes 20 ms', half: '/far', atOnce: 64 },
  { ...q1, ...cpuAlone, name: 'q1one', title: 'q1 of one caller', keys: 1 },
  { ...q1, ...cpuAlone, name: 'q1gzip', title: 'q1, compressed by gzip', coding: 'gzip' },
  { ...q3, ...cpuAlone, name: 'q3zstd', title: 'q3, compressed by zstd', coding: 'zstd' },
  { ...q3, ...cpuAlone, name: 'q3gzip', title: 'q3, compressed by gzip', coding: 'gzip', isOptional: true },
];

/** The floor's calls where a query has others than its own, by the path that is asked. */
export const furtherFloorPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ['/turns-of-deliveries', [firstPage('/webhook_deliveries', 20)]],
]);
