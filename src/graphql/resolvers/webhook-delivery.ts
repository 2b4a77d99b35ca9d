import { GraphQLString } from 'graphql';
import type { HttpHeaderResolvers, QueryResolvers } from '../../generated/schema.ts';
import { listWebhookDeliveries } from '../../upstream/operations/webhook-delivery.ts';
import type { Context } from '../context.ts';
import { readerOf } from '../wire.ts';
import { loadConnection } from './connection.ts';

export const webhookDeliveries: QueryResolvers<Context>['webhookDeliveries'] = (_root, args, context, info) =>
  loadConnection(listWebhookDeliveries, args, context, info);

const sensitive = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key']);
const readName = readerOf<string>(GraphQLString, 'a header name');
const readValue = readerOf<string>(GraphQLString, 'a header value');

/** A pair of an attempt. A value that may be a credential is shown to its own caller only, where the process was told to. */
export const httpHeader: HttpHeaderResolvers<Context> = {
  name: ([name]) => readName(name),
  value: ([name, value], _args, { exposeSecrets }) => {
    // A name that cannot be read may be that of a sensitive header.
    const harmless = typeof name === 'string' && !sensitive.has(name.trim().toLowerCase());
    return harmless || exposeSecrets ? readValue(value) : '[redacted]';
  },
};
