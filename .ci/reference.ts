import { format } from 'oxfmt';
import { Registry } from 'prom-client';
import {
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { wireFieldOf } from '../src/graphql/schema/wire-fields.ts';
import { getChargesBreakdown } from '../src/resources/charges/charges-breakdown.ts';
import { getChargesSummary } from '../src/resources/charges/charges-summary.ts';
import { listIpConnections } from '../src/resources/ip-connection.ts';
import { mission } from '../src/resources/mission.ts';
import { createSchema } from '../src/resources/schema.ts';
import { listWebhookDeliveries } from '../src/resources/webhook-delivery.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import type { AnyEntity, Endpoint } from '../src/upstream/endpoint.ts';

// The pages of docs/reference/ that are made from the schema, the endpoints and the metrics. `npm run codegen` writes them, and a test
// compares them.

// oxlint-disable-next-line typescript/no-explicit-any
type AnyEndpoint = Endpoint<any> & Partial<Pick<AnyEntity['list'], 'pageLimit'>>;

const endpoints: readonly AnyEndpoint[] = [
  getChargesSummary,
  getChargesBreakdown,
  listIpConnections,
  mission.list,
  listWebhookDeliveries,
];

/** What resolvers read that do more than that. Every other field that no wire field is behind is the gateway's own. */
const readByResolvers: Readonly<Record<string, string>> = {
  'ChargesBreakdown.results': 'results',
  'IpConnectionOutbound.ipAuthenticationToken': 'ip_authentication_token',
  'HttpHeader.name': '[0]',
  'HttpHeader.value': '[1]',
};

interface Row {
  readonly wire: string;
  readonly field: string;
}

/** The fields of an endpoint: those that the API has, and the coordinates of those that the gateway adds. */
interface Fields {
  readonly rows: Row[];
  readonly own: Set<string>;
}

type Field = GraphQLField<unknown, unknown>;

function wireNameOf(type: GraphQLObjectType, field: Field): string | undefined {
  const covered = field.extensions['covered'] as { readonly name: string } | undefined;
  return wireFieldOf(field)?.name ?? covered?.name ?? readByResolvers[`${type.name}.${field.name}`];
}

const isList = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);

/** A connection stands for its rows. */
function rowTypeOf(type: GraphQLNamedType): GraphQLNamedType {
  const nodes = isObjectType(type) ? type.getFields()['nodes'] : undefined;
  return nodes === undefined ? type : getNamedType(nodes.type);
}

function collect(schema: GraphQLSchema, type: GraphQLNamedType, at: Row, { rows, own }: Fields): void {
  const objects = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
  for (const object of objects)
    for (const field of Object.values(object.getFields())) {
      const wire = wireNameOf(object, field);
      const inner = rowTypeOf(getNamedType(field.type));
      if (wire === undefined) own.add(`${object.name}.${field.name}`);
      else {
        const repeats = isList(field.type) || inner !== getNamedType(field.type) ? '[]' : '';
        const row = {
          wire: wire.startsWith('[') ? at.wire.replace(/\.$/, wire) : `${at.wire}${wire}${repeats}`,
          field: at.field + (isAbstractType(type) ? `${object.name}.` : '') + field.name,
        };
        if (isObjectType(inner) || isAbstractType(inner))
          collect(schema, inner, { wire: `${row.wire}.`, field: `${row.field}.` }, { rows, own });
        else rows.push(row);
      }
    }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [head, head.map(() => '---'), ...rows].map(line).join('\n');
}

const code = (text: string): string => `\`${text}\``;

/** Parameters whose argument does not say all. */
const shown: Readonly<Record<string, string>> = {
  format: '`chargesBreakdown` reads `json`, `chargesBreakdownCsv` reads `csv`',
  sort: '`orderBy`; `-created_at` is `{ field: CREATED_AT, direction: DESC }`',
};

function parametersOf({ parameters, constants = {}, pageLimit }: AnyEndpoint): readonly (readonly string[])[] {
  const ofArguments = parameters.map(({ name, argument }) => [code(name), shown[name] ?? code(argument.join('.'))]);
  const fixed = Object.entries(constants).map(([name, value]) => [code(name), shown[name] ?? code(value)]);
  const ofPages = [
    ['`page[number]`', '`first` with `after`, `last` with `before`, or `offset`'],
    ['`page[size]`', `chosen by the gateway, at most ${pageLimit}`],
  ];
  return [...ofArguments, ...fixed, ...(pageLimit === undefined ? [] : ofPages)];
}

/** The arguments that no parameter has: the gateway does what they ask for. */
function ownArguments({ parameters }: AnyEndpoint, root: Field): readonly string[] {
  const known = new Set(parameters.map(({ argument }) => argument.join('.')));
  const flatten = (path: string, type: GraphQLInputType): readonly string[] => {
    const named = getNamedType(type);
    if (known.has(path)) return [];
    if (!isInputObjectType(named)) return [path];
    return Object.values(named.getFields()).flatMap((field) => flatten(`${path}.${field.name}`, field.type));
  };
  const ofPages = new Set(['first', 'after', 'last', 'before', 'offset']);
  return root.args.filter(({ name }) => !ofPages.has(name)).flatMap(({ name, type }) => flatten(name, type));
}

function sectionOf(schema: GraphQLSchema, endpoint: AnyEndpoint): string {
  const name = endpoint.coordinate.slice('Query.'.length);
  const root = schema.getQueryType()?.getFields()[name];
  if (root === undefined) throw new Error(`The schema has no ${endpoint.coordinate}.`);
  const fields: Fields = { rows: [], own: new Set() };
  collect(schema, rowTypeOf(getNamedType(root.type)), { wire: '', field: '' }, fields);
  const own = [...ownArguments(endpoint, root), ...fields.own].map(code).join(', ');
  return `## ${endpoint.name}

\`Query.${name}\`

${table(['parameter', 'argument'], parametersOf(endpoint))}

${table(
  ['REST field', 'GraphQL field'],
  fields.rows.map(({ wire, field }) => [code(wire), code(field)]),
)}
${own === '' ? '' : `\nThe gateway adds ${own}.\n`}`;
}

const madeBy = '<!-- Made by `npm run codegen`: do not edit. -->';

function writeRestToGraphql(): string {
  const schema = createSchema();
  return `# REST to GraphQL

${madeBy}

Each REST parameter with its argument, each REST field with its GraphQL field. Names are the API's in lowerCamelCase; \`[]\` marks a
list. \`Authorization: Bearer …\` is the same header here. Single rows (\`ipConnection(id:)\`, \`mission(id:)\`, \`webhookDelivery(id:)\`) are
[found through the lists](../guide/lists.md#look-ups).

${endpoints.map((endpoint) => sectionOf(schema, endpoint)).join('\n')}`;
}

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** All metrics of a process, those of Node left out, which prom-client names. */
function ownMetrics(): readonly Described[] {
  const found: Described[] = [];
  // It is called with its own registry as `this`.
  // oxlint-disable-next-line typescript/unbound-method
  const { registerMetric } = Registry.prototype;
  Registry.prototype.registerMetric = function (metric) {
    found.push(metric as unknown as Described);
    registerMetric.call(this, metric);
  };
  createMetrics(undefined, false);
  Registry.prototype.registerMetric = registerMetric;
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function writeMetrics(): string {
  const rows = ownMetrics().map((metric) => [code(metric.name), metric.labelNames.map(code).join(', '), metric.help]);
  return `# Metrics

${madeBy}

\`GET /metrics\` is Prometheus text. Only the label \`client\` comes from clients. \`…_total\` is a counter, \`…_seconds\` a histogram, the rest
are gauges. prom-client's own metrics of the process (\`process_…\`, \`nodejs_…\`) come beside these.

${table(['metric', 'labels', 'what it counts'], rows)}
`;
}

/** The pages by their paths. */
export async function writeReference(): Promise<Readonly<Record<string, string>>> {
  const pages = { 'rest-to-graphql': writeRestToGraphql(), metrics: writeMetrics() };
  const formatted = Object.entries(pages).map(async ([name, text]) => [
    `docs/reference/${name}.md`,
    (await format(`${name}.md`, text, { printWidth: 120 })).code,
  ]);
  return Object.fromEntries(await Promise.all(formatted));
}
