import { readExactList, readExactObject, readList, readObject } from '../response/body-reader.ts';
import { anyOf, equalTo, filterCheckFor, within, type FilterCheck } from '../response/filter-check.ts';
import type { Entity, ListEndpoint } from '../endpoint.ts';

/** The sending of one event, with its attempts, newest first. REST contract, 'Webhook delivery'. */
export interface WebhookDeliveryRecord {
  readonly id?: string | null;
  readonly user_id?: string | null;
  readonly record_type?: string | null;
  readonly status?: string | null;
  readonly webhook?: WebhookEventRecord | null;
  readonly started_at?: string | null;
  readonly finished_at?: string | null;
  readonly attempts?: readonly (WebhookDeliveryAttemptRecord | null)[] | null;
}

/** The event that was delivered; its payload depends on its type. REST contract, 'Webhook delivery', Event. */
export interface WebhookEventRecord {
  readonly record_type?: string | null;
  readonly id?: string | null;
  readonly event_type?: string | null;
  readonly occurred_at?: string | null;
  readonly payload?: Readonly<Record<string, unknown>> | null;
}

/** One try at one address; `errors` is there when it failed. REST contract, 'Webhook delivery', Attempt. */
export interface WebhookDeliveryAttemptRecord {
  readonly status?: string | null;
  readonly started_at?: string | null;
  readonly finished_at?: string | null;
  readonly http?: AttemptHttpRecord | null;
  readonly errors?: readonly (number | AttemptErrorRecord | null)[] | null;
}

/**
 * Why an attempt failed. REST contract, 'Webhook delivery', Attempt `errors`, has the code alone; the API's own examples have an
 * object, whose code is text.
 */
export interface AttemptErrorRecord {
  readonly code?: number | string | null;
  readonly title?: string | null;
  readonly detail?: string | null;
}

/** The exchange with the receiver; no `response` means no answer came. REST contract, 'Webhook delivery', Attempt `http`. */
export interface AttemptHttpRecord {
  readonly request?: AttemptRequestRecord | null;
  readonly response?: AttemptResponseRecord | null;
}

/** What was sent to the receiver. REST contract, 'Webhook delivery', Attempt `http.request`. */
export interface AttemptRequestRecord {
  readonly url?: string | null;
  readonly headers?: readonly (HttpHeaderRecord | null)[] | null;
}

/** What the receiver answered. REST contract, 'Webhook delivery', Attempt `http.response`. */
export interface AttemptResponseRecord {
  readonly status?: number | null;
  readonly headers?: readonly (HttpHeaderRecord | null)[] | null;
  readonly body?: string | null;
}

/**
 * One header as a `[name, value]` pair. REST contract, 'Webhook delivery', Attempt `headers`; the API's own examples have the text
 * `Name: value`, which is read as a pair (graphql/http-header.ts), without a value where it has no colon.
 */
export type HttpHeaderRecord = readonly [name: string, value: string | null];

const filterChecks: readonly FilterCheck[] = [
  equalTo('WebhookDeliveryFilter.status', ['filter', 'status', 'eq'], ['status']),
  anyOf('WebhookDeliveryFilter.eventType', ['filter', 'eventType'], ['webhook', 'event_type']),
  within('WebhookDeliveryFilter.startedAt', ['filter', 'startedAt'], ['started_at']),
  within('WebhookDeliveryFilter.finishedAt', ['filter', 'finishedAt'], ['finished_at']),
];

/** REST contract, "GET /webhook_deliveries". */
export const listWebhookDeliveries: ListEndpoint<WebhookDeliveryRecord> = {
  name: 'GET /webhook_deliveries',
  coordinate: 'Query.webhookDeliveries',
  path: '/webhook_deliveries',
  accept: 'application/json',
  pageLimit: 250,
  idName: 'id',
  timeName: 'started_at',
  timeOrder: () => 0,
  newestArgument: ['filter', 'startedAt', 'lte'],
  parameters: [
    { argument: ['filter', 'status', 'eq'], name: 'filter[status][eq]' },
    { argument: ['filter', 'eventType'], name: 'filter[event_type]' },
    { argument: ['filter', 'webhook', 'contains'], name: 'filter[webhook][contains]' },
    { argument: ['filter', 'attempts', 'contains'], name: 'filter[attempts][contains]' },
    { argument: ['filter', 'startedAt', 'gte'], name: 'filter[started_at][gte]' },
    { argument: ['filter', 'startedAt', 'lte'], name: 'filter[started_at][lte]' },
    { argument: ['filter', 'finishedAt', 'gte'], name: 'filter[finished_at][gte]' },
    { argument: ['filter', 'finishedAt', 'lte'], name: 'filter[finished_at][lte]' },
  ],
  read: readList,
  readExactly: readExactList,
  violationCheckFor: (args) => filterCheckFor(filterChecks, args),
};

/** A webhook delivery by its identifier, or by the moment when it began. */
export const webhookDelivery: Entity<WebhookDeliveryRecord> = {
  type: 'WebhookDelivery',
  list: listWebhookDeliveries,
  retrieve: {
    name: 'GET /webhook_deliveries/{id}',
    coordinate: 'Query.webhookDelivery',
    path: '/webhook_deliveries/{id}',
    accept: 'application/json',
    parameters: [],
    idNames: ['id', 'webhook_delivery_id', 'delivery_id'],
    read: readObject,
    readExactly: readExactObject,
  },
  hintOf: ({ started_at: startedAt }) => (typeof startedAt === 'string' ? startedAt : null),
  // Timestamps of one form sort as text; where the forms differ the scan behind the hint still finds the row.
  narrow(moments) {
    const sorted = [...moments].sort();
    return { filter: { startedAt: { gte: sorted[0], lte: sorted.at(-1) } } };
  },
};
