import { comparativeLine, simpleLine } from '../../test/support/records.ts';
import { chargesBreakdown, chargesSummary } from '../upstream/charge-records.ts';
import { ipConnection, mission, webhookDelivery } from '../upstream/noun-records.ts';

// Tailcall's configuration: a schema with the API's own names, read off its records, and for each field of Query the call behind it.
type JsonRecord = Readonly<Record<string, unknown>>;

const freeForm = new Set(['metadata', 'payload', 'headers']);
const size = 'page_LEFT_SQUARE_BRACE_size_RIGHT_SQUARE_BRACE_';

/** The type of a value; types of objects are added to those that are there. */
function typeOf(value: unknown, name: string, types: Map<string, string>): string {
  if (freeForm.has(name)) return 'JSON';
  if (name === 'lines') return '[Line] @discriminate(field: "type")';
  if (Array.isArray(value)) return `[${typeOf(value[0] ?? 0, `${name}_item`, types)}]`;
  if (typeof value === 'number') return 'Int';
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value !== 'object' || value === null) return 'String';
  return addType(value as JsonRecord, name, types);
}

function addType(record: JsonRecord, name: string, types: Map<string, string>): string {
  const fields = Object.entries(record).map(
    ([field, value]) =>
      `${field}: ${typeOf(value, freeForm.has(field) ? field : field === 'lines' ? field : `${name}_${field}`, types)}`,
  );
  types.set(name, `type ${name} { ${fields.join(' ')} }`);
  return name;
}

/** The configuration for an API, to be served on a port. */
export function tailcallSchema(baseUrl: string, port: number): string {
  const types = new Map<string, string>();
  addType(comparativeLine(), 'comparative', types);
  addType(simpleLine(), 'simple', types);
  const meta = { total_results: 1, page_number: 1, page_size: 1 };
  const list = (field: string, path: string, record: JsonRecord): string => {
    const type = addType({ data: [record], meta }, `${field}_answer`, types);
    const query = `[{ key: "page[number]", value: "1" }, { key: "page[size]", value: "{{.args.${size}}}" }]`;
    return `${field}(${size}: Int): ${type} @http(url: "${baseUrl}${path}", query: ${query})`;
  };
  const report = (field: string, record: JsonRecord, format = ''): string => {
    const type = addType({ data: record }, `${field}_answer`, types);
    const dates = ['start_date', 'end_date'].map((name) => `{ key: "${name}", value: "{{.args.${name}}}" }`);
    return `${field}(start_date: String, end_date: String): ${type} @http(url: "${baseUrl}/${field}", query: [${format}${dates.join(', ')}])`;
  };
  const fields = [
    list('ip_connections', '/ip_connections', ipConnection(0)),
    list('missions', '/ai/missions', mission(0)),
    list('webhook_deliveries', '/webhook_deliveries', webhookDelivery(0)),
    report('charges_summary', chargesSummary()),
    report('charges_breakdown', chargesBreakdown(1), '{ key: "format", value: "json" }, '),
  ];
  return [
    `schema @server(port: ${port}, hostname: "127.0.0.1", workers: 1) @upstream(allowedHeaders: ["authorization"]) { query: Query }`,
    `type Query {\n${fields.join('\n')}\n}`,
    'union Line = comparative | simple',
    ...types.values(),
  ].join('\n');
}
