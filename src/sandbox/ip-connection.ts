import { refusals } from './errors.ts';
import { clampedPage, containingAnyCase, exactly, paged, rowsOf, value } from './list.ts';
import { Random } from './random.ts';
import {
  accounts,
  anchor,
  madeBy,
  microsPerHour,
  microsPerSecond,
  timestamp,
  type Query,
  type Route,
  type World,
} from './world.ts';

const connectionCount = accounts.large.connections;
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
  return anchor - own * 26 * microsPerHour - late;
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

const words = 'atlas birch cobalt delta ember fjord granite harbour indigo juniper'.split(' ');
const groupCount = 120;
const newestCount = 50;
const newestGroupCount = 29;

/** Index of the connection whose URL is a prefix of the busy one's: a substring match on it finds mostly rows of others. */
const prefixConnection = 3;
/** Index of the connection that gets a share of all deliveries. */
export const busyConnection = 8;
/** Connections with a URL of their own to which nothing was ever delivered. */
export const quietConnections: readonly number[] = [17, 33];

const prefixUrl = 'https://events.example.com/hooks';

function groupHost(group: number): string {
  return `${words[group % words.length] ?? 'atlas'}-${group}.example.${group % 2 === 0 ? 'com' : 'net'}`;
}

function pathOf(index: number): string {
  if (index % 6 === 2) return '/hooks/eu';
  // A query part with reserved characters shows whether a client encodes the filter's value.
  return index % 10 === 7 ? '/hooks?tenant=12&mode=live' : '/hooks';
}

/** The URLs to which the events of the connection at an index go; connections of one group have the same URL. */
function targetsOf(index: number): { readonly url: string | null; readonly failover: string | null } {
  if (index === prefixConnection) return { url: prefixUrl, failover: null };
  if (index === busyConnection) return { url: `${prefixUrl}/eu`, failover: 'https://events-backup.example.net/hooks' };
  if (quietConnections.includes(index)) return { url: `https://quiet-${index}.example.com/hooks`, failover: null };
  const random = new Random(`targets:${index}`);
  const group = index < newestCount ? (index * 11) % newestGroupCount : random.int(0, groupCount - 1);
  return {
    url: index % 9 === 4 ? null : `https://${groupHost(group)}${pathOf(index)}`,
    failover: index % 40 === 5 ? prefixUrl : random.orNull(0.4, `https://backup-${group}.example.net/hooks`),
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
    updated_at: created === null ? null : random.orNull(0.1, timestamp(random.int(created, anchor))),
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

type IpConnection = ReturnType<typeof build>;

/** All ip connections, index 0 the newest. */
export const ipConnections = rowsOf(connectionCount, build);

/** Those of an account, at a present in microseconds since 1970. */
function connectionsIn({ account, now }: Pick<World, 'account' | 'now'>): readonly IpConnection[] {
  return madeBy(ipConnections(), account.connections, now);
}

export function findConnection(wanted: string, world: Pick<World, 'account' | 'now'>): IpConnection | undefined {
  return connectionsIn(world).find(({ id }) => id === wanted);
}

function compare(a: string | boolean | null, b: string | boolean | null, sign: number): number {
  if (a === b) return 0;
  // Rows without the value come last in both directions.
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -sign : sign;
}

function orderOf(sort: string): (a: IpConnection, b: IpConnection) => number {
  const sign = sort.startsWith('-') ? -1 : 1;
  const name = sort.startsWith('-') ? sort.slice(1) : sort;
  if (name !== 'created_at' && name !== 'connection_name' && name !== 'active') throw refusals.badSort;
  return (a, b) => compare(a[name], b[name], sign) || compare(a.id, b.id, 1);
}

function fqdn(row: IpConnection): string | null {
  const subdomain = row.inbound?.sip_subdomain ?? null;
  return subdomain === null ? null : `${subdomain}.sip.example.com`;
}

/** Newest first unless `sort` says otherwise. */
function listIpConnections(query: Query, world: World) {
  const page = clampedPage(query, 250);
  const order = orderOf(value(query, 'sort') ?? '-created_at');
  const named = exactly(query, 'filter[connection_name]');
  const nameContains = containingAnyCase(query, 'filter[connection_name][contains]');
  const reachedAt = exactly(query, 'filter[fqdn]');
  const profiled = exactly(query, 'filter[outbound_voice_profile_id]');
  const alsoProfiled = exactly(query, 'filter[outbound.outbound_voice_profile_id]');
  const kept = connectionsIn(world).filter((row) => {
    const profile = row.outbound?.outbound_voice_profile_id;
    const names = named(row.connection_name) && nameContains(row.connection_name);
    return names && reachedAt(fqdn(row)) && profiled(profile) && alsoProfiled(profile);
  });
  return paged(kept.sort(order), page);
}

export const route: Route = { path: '/ip_connections', read: listIpConnections, find: findConnection };
