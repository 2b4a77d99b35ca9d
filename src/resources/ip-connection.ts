import { GraphQLString } from 'graphql';
import { badArgument } from '../errors.ts';
import type { QueryIpConnectionsArgs, QueryResolvers } from '../generated/schema.ts';
import { loadConnection, loadMatching } from '../graphql/connection.ts';
import { pageCost, someCalls } from '../limits/field-cost.ts';
import type { Context } from '../graphql/context.ts';
import { siteOf } from '../graphql/schema/checked-value.ts';
import { fieldReader, wireField } from '../graphql/schema/wire-fields.ts';
import { valueAt, type ListEndpoint } from '../upstream/endpoint.ts';
import { readList } from '../upstream/response/body-reader.ts';
import { entityOf, type Resource } from './resource.ts';

/** An IP-based SIP connection. REST contract, 'IP connection'. */
export interface IpConnectionRecord {
  readonly id?: string | null;
  readonly record_type?: string | null;
  readonly active?: boolean | null;
  readonly anchorsite_override?: string | null;
  readonly connection_name?: string | null;
  readonly transport_protocol?: string | null;
  readonly default_on_hold_comfort_noise_enabled?: boolean | null;
  readonly dtmf_type?: string | null;
  readonly encode_contact_header_enabled?: boolean | null;
  readonly encrypted_media?: string | null;
  readonly onnet_t38_passthrough_enabled?: boolean | null;
  readonly ios_push_credential_id?: string | null;
  readonly android_push_credential_id?: string | null;
  readonly webhook_event_url?: string | null;
  readonly webhook_event_failover_url?: string | null;
  readonly webhook_api_version?: string | null;
  readonly webhook_timeout_secs?: number | null;
  readonly call_cost_in_webhooks?: boolean | null;
  readonly rtcp_settings?: RtcpSettingsRecord | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly created_at?: string | null;
  readonly updated_at?: string | null;
  readonly inbound?: IpConnectionInboundRecord | null;
  readonly outbound?: IpConnectionOutboundRecord | null;
  readonly noise_suppression?: string | null;
  readonly noise_suppression_details?: NoiseSuppressionDetailsRecord | null;
  readonly jitter_buffer?: JitterBufferRecord | null;
}

/** Reports on media quality, their frequency in seconds. REST contract, 'IP connection', rtcp_settings. */
export interface RtcpSettingsRecord {
  readonly port?: string | null;
  readonly capture_enabled?: boolean | null;
  readonly report_frequency_secs?: number | null;
}

/** Settings for calls from the platform, timeouts in seconds. REST contract, 'IP connection', inbound. */
export interface IpConnectionInboundRecord {
  readonly ani_number_format?: string | null;
  readonly dnis_number_format?: string | null;
  readonly codecs?: readonly (string | null)[] | null;
  readonly default_primary_ip_id?: string | null;
  readonly default_secondary_ip_id?: string | null;
  readonly default_tertiary_ip_id?: string | null;
  readonly default_routing_method?: string | null;
  readonly channel_limit?: number | null;
  readonly generate_ringback_tone?: boolean | null;
  readonly isup_headers_enabled?: boolean | null;
  readonly prack_enabled?: boolean | null;
  readonly sip_compact_headers_enabled?: boolean | null;
  readonly sip_region?: string | null;
  readonly sip_subdomain?: string | null;
  readonly sip_subdomain_receive_settings?: string | null;
  readonly timeout_1xx_secs?: number | null;
  readonly timeout_2xx_secs?: number | null;
  readonly shaken_stir_enabled?: boolean | null;
}

/** Settings for calls to the platform; `ip_authentication_token` is a secret. REST contract, 'IP connection', outbound. */
export interface IpConnectionOutboundRecord {
  readonly call_parking_enabled?: boolean | null;
  readonly ani_override?: string | null;
  readonly ani_override_type?: string | null;
  readonly channel_limit?: number | null;
  readonly instant_ringback_enabled?: boolean | null;
  readonly generate_ringback_tone?: boolean | null;
  readonly localization?: string | null;
  readonly t38_reinvite_source?: string | null;
  readonly tech_prefix?: string | null;
  readonly ip_authentication_method?: string | null;
  readonly ip_authentication_token?: string | null;
  readonly outbound_voice_profile_id?: string | null;
}

/** How noise is suppressed. REST contract, 'IP connection', noise_suppression_details. */
export interface NoiseSuppressionDetailsRecord {
  readonly engine?: string | null;
  readonly attenuation_limit?: number | null;
}

/** Buffer for audio packets, sizes in milliseconds. REST contract, 'IP connection', jitter_buffer. */
export interface JitterBufferRecord {
  readonly enable_jitter_buffer?: boolean | null;
  readonly jitterbuffer_msec_min?: number | null;
  readonly jitterbuffer_msec_max?: number | null;
}

/** The order of the list, as its GraphQL argument has it. */
interface Order {
  readonly field: string;
  readonly direction: 'ASC' | 'DESC';
}

/** REST contract, "GET /ip_connections": the order of a list without `sort`. */
const newestFirst: Order = { field: 'CREATED_AT', direction: 'DESC' };

/** REST contract, "GET /ip_connections". */
export const listIpConnections: ListEndpoint<IpConnectionRecord> = {
  name: 'GET /ip_connections',
  coordinate: 'Query.ipConnections',
  path: '/ip_connections',
  accept: 'application/json',
  pageLimit: 250,
  idName: 'id',
  timeName: 'created_at',
  timeOrder({ orderBy }) {
    const { field, direction } = (orderBy ?? newestFirst) as Order;
    if (field !== newestFirst.field) return 0;
    return direction === 'DESC' ? -1 : 1;
  },
  parameters: [
    { argument: ['filter', 'connectionName', 'eq'], name: 'filter[connection_name]' },
    { argument: ['filter', 'connectionName', 'contains'], name: 'filter[connection_name][contains]' },
    { argument: ['filter', 'fqdn'], name: 'filter[fqdn]' },
    { argument: ['filter', 'outboundVoiceProfileId'], name: 'filter[outbound_voice_profile_id]' },
    {
      argument: ['filter', 'outbound', 'outboundVoiceProfileId'],
      // The dot stands inside the bracket: that is the parameter's name, not a nested object.
      name: 'filter[outbound.outbound_voice_profile_id]',
    },
    {
      argument: ['orderBy'],
      name: 'sort',
      format: ({ field, direction }: Order) => (direction === 'DESC' ? '-' : '') + field.toLowerCase(),
    },
  ],
  read: readList,
};

/** An IP connection by its identifier, or by its name. */
export const ipConnection = entityOf('IpConnection', listIpConnections, ['ip_connection_id', 'connection_id'], {
  hintName: 'connection_name',
  narrow: ([name, ...others]) => (others.length === 0 ? { filter: { connectionName: { eq: name } } } : null),
});

const ipConnections: QueryResolvers['ipConnections'] = (_root, args, context, info) => {
  checkName(args);
  const { active = null, tags } = args.filter ?? {};
  const tag = tags?.contains ?? '';
  if (active === null && tag === '') return loadConnection(listIpConnections, args, context, info);
  return loadMatching(listIpConnections, args, context, {
    key: JSON.stringify({ active, tag }),
    matches: (row) => (active === null || row.active === active) && (tag === '' || hasTag(row, tag)),
  });
};

/** Whether one of a connection's tags is exactly this one. */
function hasTag({ tags }: IpConnectionRecord, tag: string): boolean {
  return Array.isArray(tags) && tags.includes(tag);
}

// On the wire, the two are one parameter: once as text, and once as an object.
function checkName({ filter }: Partial<QueryIpConnectionsArgs>): void {
  const { eq, contains } = filter?.connectionName ?? {};
  const part = contains ?? '';
  if (part !== '' && (eq ?? '') !== '')
    throw badArgument(['filter', 'connectionName'], 'filter.connectionName takes either eq or contains, not both.');
  if (part !== '' && Array.from(part).length < leastPart)
    throw badArgument(
      ['filter', 'connectionName', 'contains'],
      `Type at least ${leastPart} characters of the name: the platform does not look for fewer.`,
    );
}

// In Unicode characters, as the platform's own pages have it.
const leastPart = 3;

const readToken = fieldReader<string>(
  siteOf('IpConnectionOutbound.ipAuthenticationToken', 'ip_authentication_token'),
  GraphQLString,
);

export const resource = {
  entity: ipConnection,
  fields: {
    Query: { ipConnections },
    // Two names that do not follow the rule.
    IpConnectionInbound: {
      timeout1xxSecs: wireField<number>('timeout_1xx_secs'),
      timeout2xxSecs: wireField<number>('timeout_2xx_secs'),
    },
    // The one secret of a connection. It is shown to its own caller only, and only where EXPOSE_SECRETS is set.
    IpConnectionOutbound: {
      ipAuthenticationToken: (record: IpConnectionOutboundRecord, _args: object, { exposeSecrets }: Context) =>
        exposeSecrets ? readToken(record) : null,
      ipAuthenticationTokenSet: (record: IpConnectionOutboundRecord) => (readToken(record) ?? '') !== '',
    },
  },
  costs: {
    // The API has no filter for these, so the list is read through.
    'Query.ipConnections': (args, options, items) =>
      [
        ['filter', 'active'],
        ['filter', 'tags', 'contains'],
      ].some((path) => (valueAt(args, path) ?? '') !== '')
        ? someCalls(options.scanPages)
        : pageCost(listIpConnections)(args, options, items),
  },
} satisfies Resource;
