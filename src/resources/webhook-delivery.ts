import { GraphQLString } from 'graphql';
import type {
  AttemptRequestRecord,
  DeliveryArrivedRecord,
  DeliveryFeedEventRecord,
  WebhookDeliveryAttemptRecord,
  WebhookDeliveryRecord,
} from '../generated/records.ts';
import type { HttpHeaderResolvers, SubscriptionResolvers } from '../generated/schema.ts';
import type { Context } from '../graphql/context.ts';
import { checkedList, recordOf, siteOf } from '../graphql/schema/checked-value.ts';
import { readerOf, textReader } from '../graphql/schema/wire-fields.ts';
import { someCalls } from '../limits/field-cost.ts';
import type { ArgumentPath } from '../errors.ts';
import { boundOf, compareMoments, momentOf, type BoundSide, type Moment } from '../moment.ts';
import { type Arguments, type ListEndpoint, type Parameter, valueAt } from '../upstream/endpoint.ts';
import { readList } from '../upstream/response/envelope.ts';
import {
  addressLeaf,
  attemptErrorForm,
  attemptErrorLeaf,
  durationOf,
  errorCodeLeaf,
  headerForm,
  hiddenValue,
  isSensitive,
  withoutCredential,
  withoutUser,
} from './delivery-attempt.ts';
import { entityOf, type Resource } from './resource.ts';

/** The argument for one status. */
export const statusArgument: ArgumentPath = ['filter', 'status', 'eq'];

function boundParameter(filter: string, member: string, side: BoundSide): Parameter {
  return {
    argument: ['filter', filter, side],
    name: `filter[${member}][${side}]`,
    format: (text: string) => boundOf(text, side),
  };
}

/** REST contract, "GET /webhook_deliveries". */
export const listWebhookDeliveries: ListEndpoint<WebhookDeliveryRecord> = {
  name: 'GET /webhook_deliveries',
  coordinate: 'Query.webhookDeliveries',
  path: '/webhook_deliveries',
  accept: 'application/json',
  pageLimit: 250,
  idName: 'id',
  timeName: 'started_at',
  newestArgument: ['filter', 'startedAt', 'lte'],
  parameters: [
    { argument: statusArgument, name: 'filter[status][eq]', isOne: true },
    { argument: ['filter', 'eventType'], name: 'filter[event_type]' },
    { argument: ['filter', 'webhook', 'contains'], name: 'filter[webhook][contains]' },
    { argument: ['filter', 'attempts', 'contains'], name: 'filter[attempts][contains]' },
    boundParameter('startedAt', 'started_at', 'gte'),
    boundParameter('startedAt', 'started_at', 'lte'),
    boundParameter('finishedAt', 'finished_at', 'gte'),
    boundParameter('finishedAt', 'finished_at', 'lte'),
  ],
  read: readList,
  freeForm: 'payload',
};

/** A webhook delivery by its identifier, or by the moment when it began. */
export const webhookDelivery = entityOf(
  'WebhookDelivery',
  listWebhookDeliveries,
  ['webhook_delivery_id', 'delivery_id'],
  {
    hintName: 'started_at',
    narrow(hints) {
      const moments = hints.flatMap((hint) => momentOf(hint) ?? []).sort(compareMoments);
      const [first] = moments;
      return first === undefined ? null : { filter: { startedAt: { gte: first, lte: moments.at(-1) } } };
    },
  },
);

/** The statuses of deliveries that the REST contract shows ("Webhook delivery"). There may be others. */
export const shownStatuses: readonly string[] = ['delivered', 'failed'];

const liveSite = siteOf('Subscription.webhookDeliveries', 'an item of data');

/** The deliveries that appear from now on. An error that ends the stream is its last event, and fails the field there. */
const liveWebhookDeliveries: NonNullable<SubscriptionResolvers['webhookDeliveries']> = {
  subscribe: (_root, args, { followDeliveries }) => followDeliveries(args),
  resolve(event: DeliveryArrivedRecord | Error) {
    if (event instanceof Error) throw event;
    return recordOf(event.delivery, liveSite);
  },
};

/** The same deliveries with their cursors, and the state of the stream. */
const deliveryFeed: NonNullable<SubscriptionResolvers['deliveryFeed']> = {
  subscribe: (_root, { after = null, filter }, { followDeliveries }) => followDeliveries({ filter }, { after }),
  resolve(event: DeliveryFeedEventRecord | Error) {
    if (event instanceof Error) throw event;
    return event;
  },
};

/** The attempt that began last; the first in the upstream's order where moments are missing. Undefined without an attempt. */
export function newestOf<Attempt>(attempts: readonly Attempt[]): Attempt | undefined {
  let newest = attempts[0];
  let latest: Moment = '';
  for (const attempt of attempts) {
    const moment = momentOf((attempt as WebhookDeliveryAttemptRecord | null | undefined)?.started_at);
    if (moment === null || compareMoments(moment, latest) <= 0) continue;
    newest = attempt;
    latest = moment;
  }
  return newest;
}

const attemptsSite = siteOf('WebhookDelivery.attempts');
const attemptSite = siteOf('WebhookDelivery.attempts', 'an item of attempts');
const durationSite = siteOf('WebhookDelivery.durationMs', 'finished_at');
const attemptDurationSite = siteOf('WebhookDeliveryAttempt.durationMs', 'finished_at');

const readName = readerOf<string>(GraphQLString, siteOf('HttpHeader.name', 'a header name'));
const readValue = readerOf<string>(GraphQLString, siteOf('HttpHeader.value', 'a header value'));

/** A header of an attempt. A value that may be a credential is shown to its own caller only, and only where EXPOSE_SECRETS is set. */
const httpHeader: HttpHeaderResolvers = {
  name: (header, _args, { exposeSecrets }) => {
    const name = readName(header.name);
    return name === null || exposeSecrets ? name : withoutCredential(name);
  },
  value: (header, _args, { exposeSecrets }) => {
    const { value } = header;
    return value == null || exposeSecrets || !isSensitive(header) ? readValue(value) : hiddenValue;
  },
};

const readUrl = textReader('AttemptRequest.url', 'String');

/** The address of an attempt. User information is shown to its own caller only, and only where EXPOSE_SECRETS is set. */
function addressOf(request: AttemptRequestRecord, _args: object, { exposeSecrets }: Context): string | null {
  const url = readUrl(request);
  return url === null || exposeSecrets ? url : withoutUser(url, `${hiddenValue}@`);
}

const timed = { started_at: true, finished_at: true } as const;

export const resource = {
  entity: webhookDelivery,
  fields: {
    Subscription: { webhookDeliveries: liveWebhookDeliveries, deliveryFeed },
    DeliveryFeedEvent: {
      __resolveType: (event: object) => ('delivery' in event ? 'DeliveryArrived' : 'FeedStateChanged'),
    },
    WebhookDelivery: {
      durationMs: (record: WebhookDeliveryRecord) => durationOf(record, durationSite),
      attemptCount: (record: WebhookDeliveryRecord) => checkedList(record.attempts, attemptsSite)?.length ?? null,
      newestAttempt(record: WebhookDeliveryRecord) {
        const attempts = checkedList(record.attempts, attemptsSite) ?? [];
        const newest = newestOf(attempts);
        return newest === undefined ? null : recordOf(newest, attemptSite);
      },
    },
    WebhookDeliveryAttempt: {
      durationMs: (attempt: WebhookDeliveryAttemptRecord) => durationOf(attempt, attemptDurationSite),
    },
    HttpHeader: httpHeader,
    AttemptRequest: { url: addressOf },
  },
  forms: { HttpHeader: headerForm, AttemptError: attemptErrorForm },
  // `errors` and `errorDetails` read one list, whose items have two forms on the wire.
  leaves: { 'WebhookDeliveryAttempt.errors': attemptErrorLeaf, 'AttemptError.code': errorCodeLeaf },
  bare: { 'AttemptRequest.url': addressLeaf },
  needs: {
    'WebhookDelivery.durationMs': { members: timed },
    'WebhookDelivery.attemptCount': { members: { attempts: {} } },
    'WebhookDelivery.newestAttempt': { members: { attempts: { started_at: true } }, shows: 'attempts' },
    'WebhookDeliveryAttempt.durationMs': { members: timed },
  },
  // The cost of one event. The polls are shared, and no event's own.
  costs: { 'Subscription.webhookDeliveries': someCalls(1), 'Subscription.deliveryFeed': someCalls(1) },
} satisfies Resource;

/** Whether a filter can have let a value through; null where that is not known. */
type Verdict = (value: unknown) => boolean | null;

/** Filters whose effect can be seen in rows: the argument, the member that it is about, and the check; null where it decides nothing. */
const filterChecks: readonly (readonly [ArgumentPath, member: ArgumentPath, (wanted: unknown) => Verdict | null])[] = [
  [statusArgument, ['status'], isOneOf],
  [['filter', 'eventType'], ['webhook', 'event_type'], isOneOf],
  [['filter', 'startedAt'], ['started_at'], isWithin],
  [['filter', 'finishedAt'], ['finished_at'], isWithin],
];

/**
 * Whether the rows of a page show that the API ignores a filter of these arguments: one, or all of them together, let none of the rows
 * through. One row that fits is enough, since the API may read a filter in its own way. A row that lacks the member decides nothing.
 */
export function ignoresFilter(args: Arguments, rows: readonly (WebhookDeliveryRecord | null)[]): boolean {
  const ofFilters = filterChecks.map(([argument, member, checkFor]) => {
    const check = checkFor(valueAt(args, argument));
    return rows.map((row) => check?.(valueAt(row, member)) ?? null);
  });
  const ofAll = rows.map((_row, index) => {
    const verdicts = new Set(ofFilters.map((each) => each[index]));
    return verdicts.has(false) ? false : verdicts.has(true) || null;
  });
  return [...ofFilters, ofAll].some((verdicts) => verdicts.includes(false) && !verdicts.includes(true));
}

/** A text, or one of several, with dots or underscores between its words. Case does not count, since an API may ignore it. */
function isOneOf(wanted: unknown): Verdict | null {
  // The API takes a list with commas, and may know patterns that the contract does not show.
  const texts = new Set(
    String((wanted ?? '') as string | readonly string[])
      .split(',')
      .map(spellingOf),
  );
  if (![...texts].every((each) => /^[\w-]+$/.test(each))) return null;
  return (value) => (typeof value === 'string' ? texts.has(spellingOf(value)) : null);
}

function spellingOf(text: string): string {
  return text.trim().toLowerCase().replaceAll('.', '_');
}

// A bound may be rounded, and a minute may have a leap second.
const doubtMs = 2_000;

/** A moment within bounds. One without a zone may be anywhere within a day. */
function isWithin(wanted: unknown): Verdict | null {
  const [from, to] = ['gte', 'lte'].map((side) => momentOf(valueAt(wanted, [side])));
  if (from == null && to == null) return null;
  const least = from == null ? -Infinity : Date.parse(from) - doubtMs;
  const most = to == null ? Infinity : Date.parse(to) + doubtMs;
  return (value) => {
    const moment = momentOf(value);
    return moment === null ? null : Date.parse(moment) > least && Date.parse(moment) < most;
  };
}
