import { GraphQLString } from 'graphql';
import { badArgument } from '../../errors.ts';
import type {
  IpConnectionInboundResolvers,
  IpConnectionOutboundResolvers,
  IpConnectionResolvers,
  QueryIpConnectionsArgs,
  QueryResolvers,
} from '../../generated/schema.ts';
import { listIpConnections } from '../../upstream/endpoints/ip-connection.ts';
import { webhookUrlsOf } from '../../lists/webhook-owner.ts';
import { entities, nodeIdOf } from '../identity/node-id.ts';
import { siteOf } from '../schema/misfit.ts';
import { fieldReader, wireField } from '../schema/wire-fields.ts';
import { loadAttempted } from './attempted-delivery.ts';
import { loadConnection } from './connection.ts';

export const ipConnections: QueryResolvers['ipConnections'] = (_root, args, context, info) => {
  checkName(args);
  return loadConnection(listIpConnections, args, context, info);
};

export const ipConnection: QueryResolvers['ipConnection'] = (_root, { id }, { lookUps }) =>
  lookUps.find(entities.IpConnection, { id, hint: null });

export const ipConnectionType: Pick<IpConnectionResolvers, 'nodeId' | 'webhookDeliveries'> = {
  nodeId: (record) => nodeIdOf(entities.IpConnection, record),
  webhookDeliveries: (record, args, context) => loadAttempted(webhookUrlsOf(record), args, context),
};

// On the wire, the two are one parameter: once as text, and once as an object.
function checkName({ filter }: Partial<QueryIpConnectionsArgs>): void {
  const { eq, contains } = filter?.connectionName ?? {};
  if (eq == null || contains == null) return;
  throw badArgument(['filter', 'connectionName'], 'filter.connectionName takes either eq or contains, not both.');
}

/** The two fields whose wire names do not follow the rule. */
export const ipConnectionInbound: Pick<IpConnectionInboundResolvers, 'timeout1xxSecs' | 'timeout2xxSecs'> = {
  timeout1xxSecs: wireField('timeout_1xx_secs'),
  timeout2xxSecs: wireField('timeout_2xx_secs'),
};

const readToken = fieldReader<string>(
  siteOf('IpConnectionOutbound.ipAuthenticationToken', 'ip_authentication_token'),
  GraphQLString,
);

/** The one secret of a connection. It is shown to its own caller only, and only where EXPOSE_SECRETS is set. */
export const ipConnectionOutbound: Pick<
  IpConnectionOutboundResolvers,
  'ipAuthenticationToken' | 'ipAuthenticationTokenSet'
> = {
  ipAuthenticationToken: (record, _args, { exposeSecrets }) => (exposeSecrets ? readToken(record) : null),
  ipAuthenticationTokenSet: (record) => (readToken(record) ?? '') !== '',
};
