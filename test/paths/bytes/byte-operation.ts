import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Random } from '../../../src/sandbox/random.ts';

// What bytes do not tell: it would leave nothing to compare.
const uncovered: ReadonlySet<string> = new Set([
  'ChargesBreakdown.totals',
  'ChargesBreakdownResult.cost',
  'ChargesSummary.previous',
  'ComparativeLine.amount',
  'IpConnectionOutbound.ipAuthenticationToken',
  'IpConnectionOutbound.ipAuthenticationTokenSet',
  'IpConnection.webhookDeliveries',
  'WebhookDelivery.attemptCount',
  'WebhookDelivery.durationMs',
  'WebhookDelivery.newestAttempt',
  'WebhookDelivery.ipConnection',
  'WebhookDeliveryAttempt.durationMs',
  'WebhookDeliveryAttempt.errorDetails',
]);

const lists = ['ipConnections', 'missions', 'webhookDeliveries'];
const filters: Readonly<Record<string, string>> = {
  ipConnections: 'filter: { connectionName: { contains: "abc" } }',
  webhookDeliveries: 'filter: { status: { eq: "delivered" } }',
};

const choices = [
  'filter: { chargeType: { eq: "local" } }',
  'filter: { tn: { contains: "1" } }',
  'orderBy: { field: COST, direction: DESC }',
];

/** Writes operations of fields that bytes tell, in any order, some under other names; now and then one with a field that they do not. */
export class ByteOperations {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #cursors: readonly string[];
  #names = 0;

  constructor(schema: GraphQLSchema, random: Random, cursors: readonly string[]) {
    this.#schema = schema;
    this.#random = random;
    this.#cursors = cursors;
  }

  /** An operation of one field of the root as a rule, sometimes of several. */
  write(): string {
    const random = this.#random;
    const fields = Array.from({ length: random.pick([1, 1, 1, 2, 4]) }, () => this.#rootField());
    return `{ ${fields.map((field, index) => (index === 0 ? field : `f${index}: ${field}`)).join(' ')} }`;
  }

  #rootField(): string {
    const random = this.#random;
    const name = random.pick([...lists, ...lists, 'chargesSummary', 'chargesBreakdown']);
    if (lists.includes(name)) return `${name}${this.#pageArguments(name)} ${this.#connection(this.#returned(name))}`;
    const dates = '(startDate: "2026-10-01", endDate: "2026-10-31")';
    return `${name}${dates} ${this.#selection(this.#returned(name))}`;
  }

  #returned(name: string): GraphQLNamedType {
    return getNamedType(this.#schema.getQueryType()?.getFields()[name]?.type) as GraphQLNamedType;
  }

  #pageArguments(name: string): string {
    const random = this.#random;
    const args = [`first: ${random.pick([0, 1, 2, 3, 4, 7, 8, 30, 500])}`];
    if (random.chance(0.1)) args.push(`offset: ${random.int(0, 9)}`);
    else if (random.chance(0.2) && this.#cursors.length > 0) args.push(`after: "${random.pick(this.#cursors)}"`);
    const filter = filters[name];
    if (filter !== undefined && random.chance(0.1)) args.push(filter);
    return random.chance(0.1) ? '' : `(${args.join(', ')})`;
  }

  #connection(type: GraphQLNamedType): string {
    const random = this.#random;
    const fields = (type as GraphQLObjectType).getFields();
    const row = this.#selection(getNamedType(fields['nodes']?.type) as GraphQLNamedType);
    const nodes = random.pick([
      `nodes ${row}`,
      `nodes ${row}`,
      `edges { cursor node ${row} }`,
      `edges { a: cursor __typename node ${row} cursor t: __typename b: cursor }`,
      'edges { cursor c: cursor }',
      `edges { n: node ${row} }`,
    ]);
    const pageInfo = `pageInfo { ${random.some(['startCursor', 'endCursor', 'hasNextPage', 'hasPreviousPage', '__typename']).join(' ')} }`;
    const others = ['totalCount', 'offset', '__typename', pageInfo].filter(() => random.chance(0.4));
    const rows = random.chance(0.9) ? [nodes] : [];
    const edges = random.chance(0.1) ? ['e: edges { cursor __typename }'] : [];
    const selected = this.#shuffled([...others, ...rows, ...edges]);
    return `{ ${selected.length === 0 ? 'totalCount' : selected.join(' ')} }`;
  }

  #selection(type: GraphQLNamedType): string {
    const random = this.#random;
    if (isAbstractType(type))
      return `{ ${this.#schema
        .getPossibleTypes(type)
        .map((one) => `... on ${one.name} ${this.#selection(one)}`)
        .join(' ')} }`;
    if (!isObjectType(type)) return '';
    const share = random.pick([0.2, 0.5, 0.9]);
    const fields = Object.values(type.getFields()).filter(
      ({ name }) => random.chance(share) && (!uncovered.has(`${type.name}.${name}`) || random.chance(0.003)),
    );
    const texts = fields.map(({ name, type: returned, args }) => {
      const named = getNamedType(returned);
      const alias = random.chance(0.1) ? `other${this.#names++}: ` : '';
      if (isLeafType(named)) return `${alias}${name}`;
      if (args.some(({ name: argument }) => argument === 'first')) {
        const choice = name === 'results' && random.chance(0.05) ? `, ${random.pick(choices)}` : '';
        return `${alias}${name}(first: ${random.int(0, 9)}${choice}${this.#placeIn(name)}) ${this.#connection(named)}`;
      }
      return `${alias}${name} ${this.#selection(named)}`;
    });
    return `{ ${[...this.#shuffled(texts), ...(texts.length === 0 || random.chance(0.1) ? ['__typename'] : [])].join(' ')} }`;
  }

  #placeIn(name: string): string {
    const random = this.#random;
    if (name !== 'results' || random.chance(0.5)) return '';
    const cursor = this.#cursors.length === 0 ? 'x' : random.pick(this.#cursors);
    return random.pick([`, offset: ${random.int(0, 9)}`, `, after: "${cursor}"`]);
  }

  #shuffled(texts: readonly string[]): readonly string[] {
    if (this.#random.chance(0.4)) return texts;
    const left = [...texts];
    return texts.map(() => left.splice(this.#random.int(0, left.length - 1), 1)[0] ?? '');
  }
}
