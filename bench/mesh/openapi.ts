import { chargesBreakdown, chargesSummary } from '../upstream/charge-records.ts';
import { ipConnection, mission, webhookDelivery } from '../upstream/noun-records.ts';
import { comparativeLine, simpleLine } from '../../test/support/records.ts';

// The five operations as an OpenAPI document, its schemas read off records: Mesh makes its own GraphQL schema from it.
type Schema = Readonly<Record<string, unknown>>;

const freeForm = new Set(['metadata', 'payload']);
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const leafTypes: Readonly<Record<string, string>> = { string: 'string', number: 'integer', boolean: 'boolean' };

function schemaOf(value: unknown, name: string): Schema {
  if (freeForm.has(name)) return { type: 'object', additionalProperties: true };
  if (name === 'lines')
    return { type: 'array', items: { oneOf: [ref('ComparativeLine'), ref('SimpleLine')], discriminator } };
  if (Array.isArray(value))
    return { type: 'array', items: schemaOf(value[0] ?? 0, name === 'headers' ? 'header' : `${name}_item`) };
  if (typeof value !== 'object' || value === null) return { type: leafTypes[typeof value] ?? 'string', nullable: true };
  return objectOf(value as Schema, name);
}

function objectOf(record: Schema, title: string): Schema {
  const properties = Object.fromEntries(Object.entries(record).map(([name, value]) => [name, schemaOf(value, name)]));
  return { type: 'object', title, properties };
}

const discriminator = {
  propertyName: 'type',
  mapping: { comparative: '#/components/schemas/ComparativeLine', simple: '#/components/schemas/SimpleLine' },
};
const meta = objectOf({ total_pages: 1, total_results: 1, page_number: 1, page_size: 1 }, 'Meta');

function operation(operationId: string, parameters: readonly string[], data: Schema, properties = {}) {
  return {
    get: {
      operationId,
      parameters: parameters.map((name) => ({
        name,
        in: 'query',
        schema: { type: name.startsWith('page') ? 'integer' : 'string' },
      })),
      responses: {
        200: {
          description: 'The answer.',
          content: {
            'application/json': {
              schema: { type: 'object', title: `${operationId}_answer`, properties: { data, ...properties } },
            },
          },
        },
      },
    },
  };
}

const list = (operationId: string, record: Schema) =>
  operation(
    operationId,
    ['page[number]', 'page[size]'],
    { type: 'array', items: objectOf(record, `${operationId}_row`) },
    { meta: ref('Meta') },
  );

/** The OpenAPI document. */
export const openapi = {
  openapi: '3.0.3',
  info: { title: 'The API', version: '2.0.0' },
  paths: {
    '/ip_connections': list('ip_connections', { ...ipConnection(0), encrypted_media: '' }),
    '/ai/missions': list('missions', mission(0)),
    '/webhook_deliveries': list('webhook_deliveries', webhookDelivery(0)),
    '/charges_summary': operation('charges_summary', ['start_date', 'end_date'], objectOf(chargesSummary(), 'Summary')),
    '/charges_breakdown': operation(
      'charges_breakdown',
      ['start_date', 'end_date', 'format'],
      objectOf(chargesBreakdown(1), 'Breakdown'),
    ),
  },
  components: {
    schemas: {
      Meta: meta,
      ComparativeLine: objectOf(comparativeLine(), 'ComparativeLine'),
      SimpleLine: objectOf(simpleLine(), 'SimpleLine'),
    },
  },
};
