import * as records from '../../test/support/records.ts';

// Whole and varied rows: a list whose rows are all alike would flatter whatever interns or caches strings.
const sites = ['Chicago, IL', 'Ashburn, VA', 'Latency', 'Frankfurt, Germany', 'Sydney, Australia'];
const codecs = [['G722', 'G711U'], ['G711U', 'G711A', 'G729'], ['OPUS'], ['G722', 'H.264']];
const regions = ['US', 'Europe', 'Australia', 'Canada'];
const streets = ['Zürich', 'Lisbon', 'Kraków', 'São Paulo', 'Head', 'Depot'];

const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;
const hex = (index: number, digits: number): string =>
  Math.imul(index + 1, 2_654_435_761)
    .toString(16)
    .replace('-', 'a')
    .padStart(digits, '0')
    .slice(-digits);
const uuid = (kind: string, index: number): string =>
  `${hex(index, 8)}-${kind}-4${hex(index, 3)}-9${hex(index * 7, 3)}-${hex(index, 6)}${hex(index * 3, 6)}`;
const moment = (index: number): string => new Date(Date.UTC(2026, 9, 31, 20) - index * 911_000).toISOString();

/** A connection with all of its fields; newer ones first. */
export function ipConnection(index: number): records.JsonRecord {
  const base = records.ipConnectionRecord();
  return {
    ...base,
    id: uuid('c0c0', index),
    active: index % 5 !== 0,
    anchorsite_override: pick(sites, index),
    connection_name: `${pick(streets, index)} office ${index}`,
    transport_protocol: pick(['UDP', 'TCP', 'TLS'], index),
    encrypted_media: index % 3 === 0 ? 'SRTP' : null,
    ios_push_credential_id: index % 4 === 0 ? uuid('105a', index) : null,
    webhook_event_url: `https://hooks.example.com/voice/${index}`,
    webhook_event_failover_url: `https://backup.example.com/voice/${index}`,
    webhook_timeout_secs: 5 + (index % 25),
    tags: [`site-${index % 40}`, pick(['emea', 'apac', 'amer'], index)],
    created_at: moment(index),
    updated_at: moment(index >> 1),
    inbound: {
      ...(base['inbound'] as object),
      codecs: pick(codecs, index),
      default_primary_ip_id: `192.0.2.${index % 250}`,
      channel_limit: 10 + (index % 90),
      sip_region: pick(regions, index),
      sip_subdomain: index % 6 === 0 ? null : `office-${index}`,
      timeout_2xx_secs: 30 + (index % 60),
    },
    outbound: {
      ...(base['outbound'] as object),
      ani_override: `+1312555${String(index).padStart(4, '0')}`,
      channel_limit: 20 + (index % 70),
      tech_prefix: String(index).padStart(4, '0'),
      outbound_voice_profile_id: `12933842610757${String(31_000 + index)}`,
    },
  };
}

/** A mission with free-form metadata. */
export function mission(index: number): records.JsonRecord {
  return records.missionRecord({
    mission_id: uuid('a1a1', index),
    name: `Appointment reminders ${index}`,
    created_at: moment(index),
    description: `Calls the patients of practice ${index} the day before`,
    metadata: { team: pick(['support', 'care', 'billing'], index), retries: index % 4, languages: ['en', 'de'] },
  });
}

function headers(index: number, side: string): readonly (readonly [string, string])[] {
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'webhooks/2.0'],
    ['Accept', '*/*'],
    ['X-Trace', `${side}-${hex(index, 8)}${hex(index * 5, 8)}`],
    ['Date', new Date(Date.UTC(2026, 9, 20) + index * 61_000).toUTCString()],
    ['Content-Length', String(300 + (index % 50))],
    ['Via', `1.1 edge-${index % 12}.example.com`],
    ['Cache-Control', 'no-store'],
  ];
}

function attempt(index: number, isLast: boolean): records.JsonRecord {
  const text = `Handled as ticket ${hex(index, 8)} by worker ${index % 16}; `;
  return records.attemptRecord({
    status: isLast ? 'delivered' : 'failed',
    started_at: moment(index),
    finished_at: moment(index),
    http: {
      request: { url: `https://hooks.example.com/voice/${index % 200}`, headers: headers(index, 'request') },
      response: {
        status: isLast ? 200 : 503,
        headers: headers(index, 'response'),
        body: JSON.stringify({ ok: isLast, text: text.repeat(6) }).slice(0, 300),
      },
    },
    errors: isLast ? [] : [75_001, 75_002],
  });
}

/** A delivery with two attempts and a payload of some 500 bytes. */
export function webhookDelivery(index: number): records.JsonRecord {
  return records.webhookDeliveryRecord({
    id: uuid('de11', index),
    webhook: {
      record_type: 'event',
      id: uuid('e7e7', index),
      event_type: pick(['call_initiated', 'call_answered', 'call_hangup'], index),
      occurred_at: moment(index),
      payload: {
        call_control_id: `v3:${hex(index, 8)}${hex(index * 11, 8)}`,
        call_session_id: uuid('5e55', index),
        connection_id: `12933842610757${String(31_000 + index)}`,
        direction: pick(['incoming', 'outgoing'], index),
        from: `+1312555${String(index).padStart(4, '0')}`,
        to: '+13125550199',
        state: 'parked',
        client_state: Buffer.from(`state of call ${index}, as its client left it`).toString('base64'),
        custom_headers: [
          { name: 'X-Customer', value: String(index) },
          { name: 'X-Queue', value: pick(['sales', 'support'], index) },
        ],
        timing: { ring_ms: 1_200 + index, answered: index % 3 !== 0 },
      },
    },
    started_at: moment(index),
    finished_at: moment(index),
    attempts: [attempt(index * 2, true), attempt(index * 2 + 1, false)],
  });
}
