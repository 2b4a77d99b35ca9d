import { GraphQLString } from 'graphql';
import type {
  AttemptErrorResolvers,
  HttpHeaderResolvers,
  QueryResolvers,
  SubscriptionResolvers,
  WebhookDeliveryAttemptResolvers,
  WebhookDeliveryResolvers,
} from '../../generated/schema.ts';
import { listWebhookDeliveries, type WebhookDeliveryRecord } from '../../upstream/endpoints/webhook-delivery.ts';
import { newestOf, newestUrlOf } from '../../lists/attempted-delivery.ts';
import { entities, nodeIdOf } from '../identity/node-id.ts';
import { attemptErrorLeaf, errorCodeLeaf } from '../schema/attempt-error.ts';
import { hiddenValue, isSensitive, withoutCredential } from '../schema/redacted-header.ts';
import { durationOf } from '../schema/duration.ts';
import { siteOf } from '../schema/misfit.ts';
import { checkedList, recordOf } from '../schema/checked-record.ts';
import { readerOf } from '../schema/value-reader.ts';
import { wireField } from '../schema/wire-fields.ts';
import { loadConnection } from './connection.ts';
import { noteStatusHint } from './status-hint.ts';

export const webhookDeliveries: QueryResolvers['webhookDeliveries'] = (_root, args, context, info) => {
  const loading = loadConnection(listWebhookDeliveries, args, context, info);
  if (args.filter?.status?.eq == null) return loading;
  return loading.then((connection) => {
    noteStatusHint(args, connection, context, info);
    return connection;
  });
};

export const webhookDelivery: QueryResolvers['webhookDelivery'] = (_root, { id }, { lookUps }) =>
  lookUps.find(entities.WebhookDelivery, { id, hint: null });

const liveSite = siteOf('Subscription.webhookDeliveries', 'an item of data');

/** The deliveries that appear from now on. An error that ends the stream is its last event, and fails the field there. */
export const liveWebhookDeliveries: NonNullable<SubscriptionResolvers['webhookDeliveries']> = {
  subscribe: (_root, args, { followDeliveries }) => followDeliveries(args),
  resolve(event: WebhookDeliveryRecord | Error) {
    if (event instanceof Error) throw event;
    return recordOf(event, liveSite);
  },
};

const attemptsSite = siteOf('WebhookDelivery.attempts', 'attempts');
const attemptSite = siteOf('WebhookDelivery.attempts', 'an item of attempts');
const durationSite = siteOf('WebhookDelivery.durationMs', 'finished_at');
const attemptDurationSite = siteOf('WebhookDeliveryAttempt.durationMs', 'finished_at');

export const webhookDeliveryType: Pick<
  WebhookDeliveryResolvers,
  'nodeId' | 'durationMs' | 'attemptCount' | 'newestAttempt' | 'ipConnection'
> = {
  nodeId: (record) => nodeIdOf(entities.WebhookDelivery, record),
  durationMs: (record) => durationOf(record, durationSite),
  attemptCount: (record) => checkedList(record.attempts, attemptsSite, record)?.length ?? null,
  newestAttempt(record) {
    const attempts = checkedList(record.attempts, attemptsSite, record) ?? [];
    const newest = newestOf(attempts);
    return newest === undefined ? null : recordOf(newest, attemptSite, attempts, attempts.indexOf(newest));
  },
  async ipConnection(record, _args, { lookUps }) {
    const url = newestUrlOf(record);
    const [owner = null, ...others] = url === null ? [] : await lookUps.ownersOf(url);
    return others.length === 0 ? owner : null;
  },
};

/** The last two fields read the same list, whose items have two forms on the wire. */
export const attemptType: Pick<WebhookDeliveryAttemptResolvers, 'durationMs' | 'errors' | 'errorDetails'> = {
  durationMs: (attempt) => durationOf(attempt, attemptDurationSite),
  errors: wireField('errors', attemptErrorLeaf),
  errorDetails: wireField('errors'),
};

export const attemptError: Pick<AttemptErrorResolvers, 'code'> = { code: wireField('code', errorCodeLeaf) };

const readName = readerOf<string>(GraphQLString, siteOf('HttpHeader.name', 'a header name'));
const readValue = readerOf<string>(GraphQLString, siteOf('HttpHeader.value', 'a header value'));

/** A header of an attempt. A value that may be a credential is shown to its own caller only, and only where EXPOSE_SECRETS is set. */
export const httpHeader: HttpHeaderResolvers = {
  name: (header, _args, { exposeSecrets }) => {
    const name = readName(header[0], header, 0);
    return name === null || exposeSecrets ? name : withoutCredential(name);
  },
  value: (header, _args, { exposeSecrets }) => {
    const [, value] = header;
    return value == null || exposeSecrets || !isSensitive(header) ? readValue(value, header, 1) : hiddenValue;
  },
};
