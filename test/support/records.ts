import type { Reply, SeenRequest } from './scripted-upstream.ts';

// One full and plausible record of each noun, and of each of its parts, as the REST contract has it: every field is there and none is null.

/** JSON of any shape, as tests read it: a type would only be repeated in each of them. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** A JSON object as the upstream would send it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

// TypeScript's library does not know this part of ECMAScript 2026 yet.
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** A number that is sent digit for digit. */
export function rawNumber(digits: string): unknown {
  return json.rawJSON(digits);
}

/** What both reports begin with. */
const reportHead = {
  user_id: '5f0d6c1e-1111-4a59-9d3e-5b8a4f1f2a10',
  start_date: '2026-10-01',
  end_date: '2026-11-01',
  user_email: 'billing@example.com',
  currency: 'USD',
};

export function chargesSummaryRecord(fields: JsonRecord = {}): JsonRecord {
  return {
    ...reportHead,
    summary: { lines: [comparativeLine(), simpleLine()], adjustments: [adjustmentLine()] },
    total: {
      new_mrc: '12.00',
      new_otc: '1.50',
      existing_mrc: '230.00',
      other: '4.80',
      credits: '-5.00',
      ledger_adjustments: '0.00',
      grand_total: '243.30',
    },
    ...fields,
  };
}

export function comparativeLine(fields: JsonRecord = {}): JsonRecord {
  return {
    type: 'comparative',
    name: 'Phone Numbers',
    alias: 'phone_numbers',
    new_this_month: { quantity: 12, mrc: '12.00', otc: '1.50' },
    existing_this_month: { quantity: 230, mrc: '230.00', otc: '0.10' },
    ...fields,
  };
}

export function simpleLine(fields: JsonRecord = {}): JsonRecord {
  return { type: 'simple', name: 'Number Lookups', alias: 'number_lookups', quantity: 120, amount: '4.80', ...fields };
}

export function adjustmentLine(fields: JsonRecord = {}): JsonRecord {
  return { amount: '-5.00', description: 'Service credit', event_date: '2026-10-14', ...fields };
}

export function chargesBreakdownRecord(fields: JsonRecord = {}): JsonRecord {
  return { ...reportHead, results: [chargesBreakdownResultRecord()], ...fields };
}

export function chargesBreakdownResultRecord(fields: JsonRecord = {}): JsonRecord {
  return {
    tn: '+13125550123',
    charge_type: 'local',
    service_owner_user_id: '5f0d6c1e-2222-4a59-9d3e-5b8a4f1f2a10',
    service_owner_email: 'owner@example.com',
    services: [
      { cost_type: 'MRC', name: 'Local Number', cost: '1.00' },
      { cost_type: 'OTC', name: 'Setup', cost: '0.50' },
    ],
    ...fields,
  };
}

export function ipConnectionRecord(fields: JsonRecord = {}): JsonRecord {
  return {
    id: '3f0c2c1e-8f6c-4a59-9d3e-5b8a4f1f2a10',
    record_type: 'ip_connection',
    active: true,
    anchorsite_override: 'Chicago, IL',
    connection_name: 'Head office',
    transport_protocol: 'UDP',
    default_on_hold_comfort_noise_enabled: false,
    dtmf_type: 'RFC 2833',
    encode_contact_header_enabled: true,
    encrypted_media: 'SRTP',
    onnet_t38_passthrough_enabled: true,
    ios_push_credential_id: 'ec0c8e5d-439e-4620-a0c1-9d9c8d02a836',
    android_push_credential_id: '06b09dfd-7154-4980-8b75-cebf7a9d4f8e',
    webhook_event_url: 'https://hooks.example.com/voice',
    webhook_event_failover_url: 'https://backup.example.com/voice',
    webhook_api_version: '2',
    webhook_timeout_secs: 25,
    call_cost_in_webhooks: true,
    rtcp_settings: { port: 'rtp+1', capture_enabled: true, report_frequency_secs: 10 },
    tags: ['office', 'emea'],
    created_at: '2026-01-15T09:30:00.123456Z',
    updated_at: '2026-10-02T14:05:11Z',
    inbound: {
      ani_number_format: '+E.164',
      dnis_number_format: '+e164',
      codecs: ['G722', 'H.264'],
      default_primary_ip_id: '192.0.2.1',
      default_secondary_ip_id: '192.0.2.2',
      default_tertiary_ip_id: '192.0.2.3',
      default_routing_method: 'round-robin',
      channel_limit: 10,
      generate_ringback_tone: true,
      isup_headers_enabled: true,
      prack_enabled: false,
      sip_compact_headers_enabled: true,
      sip_region: 'Europe',
      sip_subdomain: 'head-office',
      sip_subdomain_receive_settings: 'only_my_connections',
      timeout_1xx_secs: 3,
      timeout_2xx_secs: 90,
      shaken_stir_enabled: true,
    },
    outbound: {
      call_parking_enabled: true,
      ani_override: '+13125550123',
      ani_override_type: 'always',
      channel_limit: 20,
      instant_ringback_enabled: false,
      generate_ringback_tone: true,
      localization: 'US',
      t38_reinvite_source: 'customer',
      tech_prefix: '0123',
      ip_authentication_method: 'token',
      ip_authentication_token: 'aBcD1234',
      outbound_voice_profile_id: '1293384261075731499',
    },
    noise_suppression: 'both',
    noise_suppression_details: { engine: 'denoiser', attenuation_limit: 80 },
    jitter_buffer: { enable_jitter_buffer: true, jitterbuffer_msec_min: 60, jitterbuffer_msec_max: 200 },
    ...fields,
  };
}

export function missionRecord(fields: JsonRecord = {}): JsonRecord {
  return {
    mission_id: '0b9f7c52-6a0e-4c57-8e6f-1d2a3b4c5d6e',
    name: 'Appointment reminders',
    created_at: '2026-01-15T09:30:00Z',
    updated_at: '2026-10-02T14:05:11.000001Z',
    description: 'Calls patients the day before',
    model: 'a-model/of-some-size',
    instructions: 'Confirm the appointment and offer two other times.',
    metadata: { team: 'support', retries: 3 },
    ...fields,
  };
}

export function webhookDeliveryRecord(fields: JsonRecord = {}): JsonRecord {
  return {
    id: '7c1d0e9a-52b4-4f7e-8a3f-2e6d9b1c4f58',
    user_id: '5f0d6c1e-1111-4a59-9d3e-5b8a4f1f2a10',
    record_type: 'webhook_delivery',
    status: 'delivered',
    webhook: {
      record_type: 'event',
      id: '9d3e5b8a-0000-4f7e-8a3f-2e6d9b1c4f58',
      event_type: 'call_initiated',
      occurred_at: '2026-10-02T14:05:10.987654Z',
      payload: { call_id: 'v3:abc', direction: 'incoming' },
    },
    started_at: '2026-10-02T14:05:11.000000Z',
    finished_at: '2026-10-02T14:05:12.000000Z',
    attempts: [attemptRecord()],
    ...fields,
  };
}

export function attemptRecord(fields: JsonRecord = {}): JsonRecord {
  return {
    status: 'failed',
    started_at: '2026-10-02T14:05:11.000000Z',
    finished_at: '2026-10-02T14:05:11.500000Z',
    http: {
      request: {
        url: 'https://hooks.example.com/voice',
        headers: [
          ['Content-Type', 'application/json'],
          ['User-Agent', 'webhooks'],
        ],
      },
      response: { status: 503, headers: [['Server', 'nginx']], body: 'busy' },
    },
    errors: [75001, 75002],
    ...fields,
  };
}

const october = '(startDate: "2026-10-01", endDate: "2026-11-01")';
const page = (row: JsonRecord): Reply => ({
  json: { data: [row], meta: { total_results: 1, total_pages: 1, page_number: 1, page_size: 20 } },
});

/** The fields of Query that call the upstream: the selection of each, its call, and the reply of a healthy upstream. */
export const rootFields = (
  [
    ['chargesSummary', '/charges_summary', `${october} { currency }`, { json: { data: chargesSummaryRecord() } }],
    ['chargesBreakdown', '/charges_breakdown', `${october} { currency }`, { json: { data: chargesBreakdownRecord() } }],
    ['ipConnections', '/ip_connections', ' { nodes { id } }', page(ipConnectionRecord())],
    ['missions', '/ai/missions', ' { nodes { id } }', page(missionRecord())],
    ['webhookDeliveries', '/webhook_deliveries', ' { nodes { id } }', page(webhookDeliveryRecord())],
  ] as const
).map(([name, path, rest, reply]) => ({
  name,
  operation: `GET ${path}` as const,
  path,
  selection: name + rest,
  reply,
}));

/** A summary of the requested period. */
export const summaryReply = ({ query }: SeenRequest): Reply => ({
  json: { data: chargesSummaryRecord({ start_date: query['start_date'], end_date: query['end_date'] }) },
});

/** The reply of a healthy upstream, whose reports are of the period that is asked for. */
export function healthyReply({ path, query }: SeenRequest): Reply {
  const period = Object.fromEntries(Object.entries(query).filter(([name]) => name.endsWith('_date')));
  if (path === '/charges_summary') return { json: { data: chargesSummaryRecord(period) } };
  if (path === '/charges_breakdown') return { json: { data: chargesBreakdownRecord(period) } };
  const field = rootFields.find((candidate) => candidate.path === path);
  if (field === undefined) throw new Error(`No root field calls ${path}.`);
  return field.reply;
}

/** All five at once. */
export const allRootFields = `{ ${rootFields.map(({ selection }) => selection).join(' ')} }`;

/** Names and list positions from the root of a value. */
export type Path = readonly (string | number)[];

const freeForm = new Set(['payload', 'metadata']);

/** The name of a field by the name it has on the wire. */
export function fieldNameOf(wireName: string): string {
  return wireName === 'mission_id'
    ? 'id'
    : wireName.replace(/_([a-z\d])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Whether the list of a record is a list of `[name, value]` pairs. */
export function isPairs(wireName: string): boolean {
  return wireName === 'headers';
}

/** A selection of every field that a full record has. */
export function selectionOf(record: JsonRecord): string {
  const fields = Object.entries(record).map(([name, value]) => {
    const field = fieldNameOf(name);
    if (freeForm.has(name)) return field;
    if (isPairs(name)) return `${field} { name value }`;
    if (name === 'results') return `${field} { totalCount nodes ${selectionOf(firstOf(value))} }`;
    if (name === 'lines') return `${field} { ${lineSelection(value as readonly JsonRecord[])} }`;
    if (Array.isArray(value)) return typeof value[0] === 'object' ? `${field} ${selectionOf(firstOf(value))}` : field;
    return typeof value === 'object' ? `${field} ${selectionOf(value as JsonRecord)}` : field;
  });
  return `{ ${fields.join(' ')} }`;
}

function firstOf(list: unknown): JsonRecord {
  return (list as readonly JsonRecord[])[0] ?? {};
}

function lineSelection(lines: readonly JsonRecord[]): string {
  const types: Readonly<Record<string, string>> = { comparative: 'ComparativeLine', simple: 'SimpleLine' };
  return lines.map((line) => `... on ${types[String(line['type'])]} ${selectionOf(line)}`).join(' ');
}

/** Every place in a record that the contract names: objects, leaves, lists, their items, members of pairs. */
export function placesIn(record: JsonRecord, base: Path = []): readonly Path[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = [...base, name];
    if (freeForm.has(name)) return [path];
    return [path, ...placesBelow(value, path, isPairs(name))];
  });
}

function placesBelow(value: unknown, path: Path, pairs: boolean): readonly Path[] {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => {
      const members = pairs && Array.isArray(item) ? item.map((_member, at) => [...path, index, at]) : [];
      return [[...path, index], ...members, ...(pairs ? [] : placesBelow(item, [...path, index], false))];
    });
  return typeof value === 'object' && value !== null ? placesIn(value as JsonRecord, path) : [];
}

/** The path of a record's place in a result with the selection above. */
export function fieldPathOf(place: Path): Path {
  return place.flatMap((name, index): Path => {
    if (typeof name === 'string')
      return name === 'results'
        ? ['results', 'nodes'].slice(0, index === place.length - 1 ? 1 : 2)
        : [fieldNameOf(name)];
    const isMember = typeof place[index - 1] === 'number' && isPairs(String(place[index - 2]));
    return isMember ? [name === 0 ? 'name' : 'value'] : [name];
  });
}

/** A copy of a record with another value in one place; `undefined` takes the place away. */
export function withValue(record: JsonRecord, place: Path, value: unknown): JsonRecord {
  const copy = structuredClone(record);
  let owner = copy as Record<string | number, unknown>;
  for (const name of place.slice(0, -1)) owner = owner[name] as Record<string | number, unknown>;
  const name = place.at(-1) ?? '';
  if (value !== undefined) owner[name] = value;
  else if (Array.isArray(owner)) owner.splice(Number(name), 1);
  else delete owner[name];
  return copy;
}
