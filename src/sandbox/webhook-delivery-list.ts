import { clampedPage, paged } from './page.ts';
import { between, containing, exactly, value, type Query, type TextMatch } from './query.ts';
import {
  deliveryCount,
  deliveryId,
  liveDeliveries,
  sharesStart,
  webhookDeliveries,
  type WebhookDelivery,
} from './webhook-delivery.ts';
import type { Route } from './routes.ts';

const largestPage = 250;

function newestFirst(): number[] {
  const order = Array.from({ length: deliveryCount }, (_, index) => index);
  for (const index of order) {
    // Only neighbours can share a start; their ids break the tie.
    if (sharesStart(index) && deliveryId(index) < deliveryId(index - 1)) {
      order[index - 1] = index;
      order[index] = index - 1;
    }
  }
  return order;
}

let order: number[] | undefined;
const webhookTexts = new Map<WebhookDelivery, string>();
const attemptTexts = new Map<WebhookDelivery, string>();

// Serialized once per row, so that a substring filter over all rows only searches text.
function textOf(texts: Map<WebhookDelivery, string>, row: WebhookDelivery, part: unknown): string {
  const text = texts.get(row) ?? JSON.stringify(part);
  texts.set(row, text);
  return text;
}

// Deliveries that came since the start have indexes below 0, from -1 for the first: the newest has the lowest.
function deliveryAt(index: number): WebhookDelivery {
  return index < 0 ? liveDeliveries.at(-1 - index) : webhookDeliveries.at(index);
}

function spellingOf(type: string): string {
  return type.trim().replaceAll('.', '_');
}

function typed(query: Query): TextMatch {
  const wanted = value(query, 'filter[event_type]');
  if (wanted === undefined) return () => true;
  const types = new Set(wanted.split(',').map(spellingOf));
  return (type) => typeof type === 'string' && types.has(spellingOf(type));
}

function matching(query: Query): (index: number) => boolean {
  const ended = exactly(query, 'filter[status][eq]');
  const kind = typed(query);
  const started = between(query, 'filter[started_at]');
  const finished = between(query, 'filter[finished_at]');
  const webhookHas = containing(query, 'filter[webhook][contains]');
  const attemptsHave = containing(query, 'filter[attempts][contains]');
  const searchesWebhook = query.has('filter[webhook][contains]');
  const searchesAttempts = query.has('filter[attempts][contains]');
  return (index) => {
    const row = deliveryAt(index);
    if (!ended(row.status) || !kind(row.webhook?.event_type)) return false;
    if (!started(row.started_at) || !finished(row.finished_at)) return false;
    return (
      (!searchesWebhook || webhookHas(textOf(webhookTexts, row, row.webhook))) &&
      (!searchesAttempts || attemptsHave(textOf(attemptTexts, row, row.attempts)))
    );
  };
}

/** GET /webhook_deliveries, newest `started_at` first; `live` is how many have come since the start. */
export function listWebhookDeliveries(query: Query, live: number) {
  const page = clampedPage(query, largestPage);
  const matches = matching(query);
  const filtered = [...query.keys()].some((name) => name.startsWith('filter['));
  order ??= newestFirst();
  const came = Array.from({ length: live }, (_, index) => index - live);
  const all = came.length === 0 ? order : [...came, ...order];
  // Without a filter only the rows of the page are made.
  const kept = filtered ? all.filter(matches) : all;
  return paged(kept, page, deliveryAt);
}

function find(id: string, live: number): unknown {
  const later = Array.from({ length: live }, (_, at) => liveDeliveries.at(at));
  return webhookDeliveries.find(id) ?? later.find((row) => row.id === id);
}

export const route: Route = { path: '/webhook_deliveries', list: listWebhookDeliveries, find };
