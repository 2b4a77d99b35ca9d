import { microsPerHour, now, microsPerSecond, timestamp } from './clock.ts';
import { Random } from './random.ts';
import { Rows } from './rows.ts';
import { targetsOf } from './targets.ts';

const connectionCount = 604;
const cities = ['Lisbon', 'Zürich', 'São Paulo', 'Chicago', 'Oslo', 'Osaka', 'Kraków', 'Montréal', 'Leeds', 'Perth'];
const uses = ['office', 'contact centre', 'fax bridge', 'night desk', 'warehouse', 'lab, floor 2', 'helpdesk "tier 2"'];
const anchors = ['Latency', 'Chicago, IL', 'Ashburn, VA', 'Amsterdam, Netherlands', 'Frankfurt, Germany'];
const codecs = ['G722', 'G711U', 'G711A', 'G729', 'OPUS', 'H.264'];
const reinviteSources = ['customer', 'disabled', 'passthru', 'caller-passthru', 'callee-passthru'];
const engines = ['denoiser', 'deep_filter_net', 'deep_filter_net_large', 'quail_voice_focus'];
const tags = ['production', 'staging', 'emea', 'apac', 'priority', 'trial'];
const profiles = [
  '1293384261075731499',
  ...Array.from({ length: 23 }, (_, index) => `1${new Random(`voice-profile:${index}`).digits(18)}`),
];

/** The domain of each connection's `sip_subdomain`: `filter[fqdn]` matches both together. */
export const sipDomain = 'sip.example.com';

/** Both forms of an id occur: a UUID, and a 64-bit integer in text (field notes). */
function idOf(index: number): string {
  const random = new Random(`ip-connection-id:${index}`);
  return index % 8 === 3 ? `1${random.digits(18)}` : random.uuid();
}

function createdAt(index: number): number | null {
  if (index >= connectionCount - 2) return null;
  // Each fiftieth row was created in the same moment as its neighbour, so that ties occur.
  const own = index % 50 === 49 ? index - 1 : index;
  const late = new Random(`ip-connection-created:${own}`).int(0, 25 * 3600 * microsPerSecond);
  return now - own * 26 * microsPerHour - late;
}

function connectionName(random: Random, index: number): string | null {
  if (index % 333 === 123) return null;
  if (index % 151 === 77) return 'Shared trunk';
  return `${cities[index % cities.length] ?? 'Lisbon'} ${random.pick(uses)} ${Math.floor(index / cities.length) + 1}`;
}

function inbound(random: Random, index: number) {
  return {
    ani_number_format: random.orNull(0.1, random.pick(['+E.164', 'E.164', '+E.164-national', 'E.164-national'])),
    dnis_number_format: random.orNull(0.1, random.pick(['+e164', 'e164', 'national', 'sip_username'])),
    codecs: random.orNull(0.05, random.some(codecs)),
    default_primary_ip_id: random.orNull(0.2, random.uuid()),
    default_secondary_ip_id: random.orNull(0.5, random.uuid()),
    default_tertiary_ip_id: random.orNull(0.7, random.uuid()),
    default_routing_method: random.orNull(0.3, random.pick(['sequential', 'round-robin'])),
    channel_limit: random.orNull(0.3, random.int(1, 500)),
    generate_ringback_tone: random.orNull(0.05, random.chance(0.5)),
    isup_headers_enabled: random.orNull(0.05, random.chance(0.2)),
    prack_enabled: random.orNull(0.05, random.chance(0.2)),
    sip_compact_headers_enabled: random.orNull(0.05, random.chance(0.8)),
    sip_region: random.orNull(0.1, random.pick(['US', 'Europe', 'Australia'])),
    sip_subdomain: random.orNull(0.15, `trunk-${index}`),
    sip_subdomain_receive_settings: random.orNull(0.2, random.pick(['only_my_connections', 'from_anyone'])),
    timeout_1xx_secs: random.orNull(0.1, random.int(1, 120)),
    timeout_2xx_secs: random.orNull(0.1, random.int(1, 600)),
    shaken_stir_enabled: random.orNull(0.05, random.chance(0.6)),
  };
}

function outbound(random: Random, index: number) {
  return {
    call_parking_enabled: random.orNull(0.2, random.chance(0.3)),
    ani_override: random.orNull(0.6, `+1555${random.digits(7)}`),
    ani_override_type: random.orNull(0.2, random.pick(['always', 'normal', 'emergency'])),
    channel_limit: random.orNull(0.3, random.int(1, 500)),
    instant_ringback_enabled: random.orNull(0.05, random.chance(0.3)),
    generate_ringback_tone: random.orNull(0.05, random.chance(0.5)),
    localization: random.orNull(0.2, random.pick(['US', 'GB', 'DE', 'PT', 'BR'])),
    t38_reinvite_source: random.orNull(0.2, random.pick(reinviteSources)),
    tech_prefix: random.orNull(0.5, random.digits(4)),
    ip_authentication_method: random.orNull(0.2, random.pick(['tech-prefixp-charge-info', 'token'])),
    ip_authentication_token: random.orNull(0.4, `sandbox-token-${random.hex(24)}`),
    // The newest row always has the profile that the field notes name, so that the documented example matches something.
    outbound_voice_profile_id: index === 0 ? profiles[0] : random.orNull(0.15, random.pick(profiles)),
  };
}

function build(index: number) {
  const random = new Random(`ip-connection:${index}`);
  const created = createdAt(index);
  const targets = targetsOf(index);
  return {
    id: idOf(index),
    record_type: 'ip_connection',
    active: random.orNull(0.01, random.chance(0.85)),
    anchorsite_override: random.orNull(0.1, random.pick(anchors)),
    connection_name: connectionName(random, index),
    transport_protocol: random.orNull(0.05, random.pick(['UDP', 'TCP', 'TLS'])),
    default_on_hold_comfort_noise_enabled: random.orNull(0.05, random.chance(0.7)),
    dtmf_type: random.orNull(0.05, random.pick(['RFC 2833', 'Inband', 'SIP INFO'])),
    encode_contact_header_enabled: random.orNull(0.05, random.chance(0.2)),
    encrypted_media: random.orNull(0.6, 'SRTP'),
    onnet_t38_passthrough_enabled: random.orNull(0.05, random.chance(0.2)),
    ios_push_credential_id: random.orNull(0.7, random.uuid()),
    android_push_credential_id: random.orNull(0.7, random.uuid()),
    webhook_event_url: targets.url,
    webhook_event_failover_url: targets.failover,
    webhook_api_version: random.orNull(0.05, random.pick(['1', '2'])),
    webhook_timeout_secs: random.orNull(0.2, random.int(1, 30)),
    call_cost_in_webhooks: random.orNull(0.05, random.chance(0.3)),
    rtcp_settings: random.orNull(0.08, {
      port: random.orNull(0.1, random.pick(['rtp+1', 'rtcp-mux'])),
      capture_enabled: random.orNull(0.1, random.chance(0.4)),
      report_frequency_secs: random.orNull(0.2, random.pick([5, 10, 30])),
    }),
    tags: random.chance(0.1) ? null : tags.filter(() => random.chance(0.3)),
    created_at: created === null ? null : timestamp(created),
    updated_at: created === null ? null : random.orNull(0.1, timestamp(random.int(created, now))),
    inbound: random.orNull(0.02, inbound(random, index)),
    outbound: index === 0 ? outbound(random, index) : random.orNull(0.02, outbound(random, index)),
    noise_suppression: random.orNull(0.1, random.pick(['inbound', 'outbound', 'both', 'disabled'])),
    noise_suppression_details: random.orNull(0.3, {
      engine: random.orNull(0.1, random.pick(engines)),
      attenuation_limit: random.orNull(0.1, 10 * random.int(0, 10)),
    }),
    // Absent now and then, where others are null: both mean that nothing is set (field notes).
    ...(index % 13 !== 6 && {
      jitter_buffer: random.orNull(0.2, {
        enable_jitter_buffer: random.orNull(0.1, random.chance(0.5)),
        jitterbuffer_msec_min: random.orNull(0.1, random.int(40, 100)),
        jitterbuffer_msec_max: random.orNull(0.1, random.int(101, 400)),
      }),
    }),
    // Fields outside the contract may appear (field notes); a client has to ignore them.
    ...(random.chance(0.2) && { capacity_class: 'standard' }),
  };
}

/** An ip connection as the wire carries it. */
export type IpConnection = ReturnType<typeof build>;

/** The account's ip connections, index 0 the newest. */
export const ipConnections = new Rows(connectionCount, idOf, build);
