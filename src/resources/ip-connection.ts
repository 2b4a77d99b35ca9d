import { badArgument } from '../errors.ts';
import type { IpConnectionOutboundRecord, IpConnectionRecord } from '../generated/records.ts';
import type { QueryIpConnectionsArgs, QueryResolvers } from '../generated/schema.ts';
import { loadConnection, loadMatching } from '../graphql/connection-fields.ts';
import { pageCost, someCalls } from '../limits/field-cost.ts';
import type { Context } from '../graphql/context.ts';

import { textReader } from '../graphql/schema/wire-fields.ts';
import { givenAt } from '../upstream/call.ts';
import { isReadOtherwise, valueAt, type ListEndpoint } from '../upstream/endpoint.ts';
import { readList } from '../upstream/response/envelope.ts';
import { entityOf, type Resource } from './resource.ts';

/** The order of the list, as its GraphQL argument has it. */
interface Order {
  readonly field: string;
  readonly direction: 'ASC' | 'DESC';
}

/** REST contract, "GET /ip_connections". */
export const listIpConnections: ListEndpoint<IpConnectionRecord> = {
  name: 'GET /ip_connections',
  coordinate: 'Query.ipConnections',
  path: '/ip_connections',
  accept: 'application/json',
  pageLimit: 250,
  idName: 'id',
  timeName: 'created_at',
  parameters: [
    { argument: ['filter', 'connectionName', 'eq'], name: 'filter[connection_name]', isOne: true },
    { argument: ['filter', 'connectionName', 'contains'], name: 'filter[connection_name][contains]' },
    { argument: ['filter', 'fqdn'], name: 'filter[fqdn]', isOne: true },
    { argument: ['filter', 'outboundVoiceProfileId'], name: 'filter[outbound_voice_profile_id]', isOne: true },
    {
      argument: ['filter', 'outbound', 'outboundVoiceProfileId'],
      // The dot stands inside the bracket: that is the parameter's name, not a nested object.
      name: 'filter[outbound.outbound_voice_profile_id]',
      isOne: true,
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
  const name = unsentName(args);
  if (active === null && tag === '' && name === null) return loadConnection(listIpConnections, args, context, info);
  const sent = name === null ? args : { ...args, filter: { ...args.filter, connectionName: null } };
  return loadMatching(listIpConnections, sent, context, {
    key: JSON.stringify({ active, tag, ...(name !== null && { name }) }),
    matches: (row) =>
      (active === null || row.active === active) &&
      (tag === '' || hasTag(row, tag)) &&
      (name === null || row.connection_name === name),
  });
};

/** The whole name that is asked for, if the API would read it otherwise; null for any other. */
function unsentName(args: unknown): string | null {
  const name = valueAt(args, ['filter', 'connectionName', 'eq']);
  return typeof name === 'string' && isReadOtherwise(name) ? name : null;
}

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

const readToken = textReader('IpConnectionOutbound.ipAuthenticationToken', 'String');

export const resource = {
  entity: ipConnection,
  fields: {
    Query: { ipConnections },
    // The one secret of a connection. It is shown to its own caller only, and only where EXPOSE_SECRETS is set.
    IpConnectionOutbound: {
      ipAuthenticationToken: (record: IpConnectionOutboundRecord, _args: object, { exposeSecrets }: Context) =>
        exposeSecrets ? readToken(record) : null,
      ipAuthenticationTokenSet: (record: IpConnectionOutboundRecord) => (readToken(record) ?? '') !== '',
    },
  },
  needs: {
    'IpConnectionOutbound.ipAuthenticationToken': { members: { ip_authentication_token: true }, isSecret: true },
    'IpConnectionOutbound.ipAuthenticationTokenSet': { members: { ip_authentication_token: true } },
  },
  costs: {
    // The API has no filter for these, so the list is read through.
    'Query.ipConnections': (args, options, items) =>
      unsentName(args) !== null ||
      givenAt(args, ['filter', 'active']) != null ||
      givenAt(args, ['filter', 'tags', 'contains']) != null
        ? someCalls(options.scanPages)
        : pageCost(listIpConnections)(args, options, items),
  },
} satisfies Resource;
