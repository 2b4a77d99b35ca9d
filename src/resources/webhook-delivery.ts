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
import { fieldReader, readerOf } from '../graphql/schema/wire-fields.ts';
import { someCalls } from '../limits/field-cost.ts';
import { boundOf, compareMoments, momentOf, type BoundSide, type Moment } from '../moment.ts';
import { type Arguments, type ListEndpoint, type Parameter, valueAt } from '../upstream/endpoint.ts';
import { readList } from '../upstream/response/body-reader.ts';
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

const filterChecks: readonly FilterCheck[] = [
  equalTo(['filter', 'status', 'eq'], ['status']),
  anyOf(['filter', 'eventType'], ['webhook', 'event_type']),
  within(['filter', 'startedAt'], ['started_at']),
  within(['filter', 'finishedAt'], ['finished_at']),
];

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
    { argument: ['filter', 'status', 'eq'], name: 'filter[status][eq]', isOne: true },
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

/** The argument for one status. */
export const statusArgument = ['filter', 'status', 'eq'];

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

const readUrl = fieldReader<string>(siteOf('AttemptRequest.url'), GraphQLString);

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

/** Whether a filter can have let a row through; null where the row does not show it. */
type Verdict = (row: unknown) => boolean | null;

/** A filter whose effect can be seen in rows beyond doubt; null where it is not given, or where its meaning is unknown. */
type FilterCheck = (args: Arguments) => Verdict | null;

/**
 * Whether the rows of a page show that the API ignores a filter of these arguments: one, or all of them together, let none of the rows
 * through. One row that fits is enough, since the API may read a filter in its own way. A row that lacks the member decides nothing.
 */
export function ignoresFilter(args: Arguments, rows: readonly (WebhookDeliveryRecord | null)[]): boolean {
  const given = filterChecks.flatMap((check) => check(args) ?? []);
  return [...given, allOf(given)].some((verdict) => isContradicted(rows.map(verdict)));
}

function allOf(given: readonly Verdict[]): Verdict {
  return (row) => {
    const verdicts = new Set(given.map((verdict) => verdict(row)));
    if (verdicts.has(false)) return false;
    return verdicts.has(true) ? true : null;
  };
}

function isContradicted(verdicts: readonly (boolean | null)[]): boolean {
  return verdicts.includes(false) && !verdicts.includes(true);
}

type Path = readonly string[];

/** The check of a text that must equal the given one. Case does not count, since an API may ignore it. */
function equalTo(argument: Path, member: Path): FilterCheck {
  return (args) => {
    const wanted = textOf(valueAt(args, argument));
    return wanted === null || wanted === '' ? null : textVerdict(member, (text) => text === wanted);
  };
}

/** The check of a text that must be one of the given ones, with dots or underscores between its words. */
function anyOf(argument: Path, member: Path): FilterCheck {
  return (args) => {
    const given = valueAt(args, argument);
    if (!Array.isArray(given)) return null;
    // The API takes a list with commas, and may know patterns that the contract does not show.
    const wanted = new Set(given.flatMap((each) => String(each).split(',')).map(spellingOf));
    if (![...wanted].every((each) => /^\w+$/.test(each))) return null;
    return textVerdict(member, (text) => wanted.has(spellingOf(text)));
  };
}

/** The check of a moment that must lie within the given bounds. */
function within(argument: Path, member: Path): FilterCheck {
  return (args) => {
    const [from, to] = ['gte', 'lte'].map((bound) => instantOf(valueAt(args, [...argument, bound])));
    if (from == null && to == null) return null;
    return (row) => {
      const instant = instantOf(valueAt(row, member));
      if (instant === null) return null;
      return instant > (from ?? -Infinity) - doubtMs && instant < (to ?? Infinity) + doubtMs;
    };
  };
}

function textVerdict(member: Path, isWanted: (text: string) => boolean): Verdict {
  return (row) => {
    const text = textOf(valueAt(row, member));
    return text === null ? null : isWanted(text);
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.trim().toLowerCase() : null;
}

function spellingOf(type: string): string {
  return type.trim().toLowerCase().replaceAll('.', '_');
}

// A bound may be rounded, and a minute may have a leap second.
const doubtMs = 2_000;

/** Milliseconds of a moment; null for one without a zone, which may be anywhere within a day. */
function instantOf(value: unknown): number | null {
  const moment = momentOf(value);
  return moment === null ? null : Date.parse(moment);
}
