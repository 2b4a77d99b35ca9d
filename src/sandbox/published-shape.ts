import type { WebhookDelivery } from './webhook-delivery.ts';

type Attempt = NonNullable<WebhookDelivery['attempts']>[number];
interface Message {
  readonly headers?: [name: string, value: string][] | null;
}

const reasonByCode: Readonly<Record<number, [title: string, detail: string]>> = {
  75101: ['Connection failed', 'The receiver could not be reached.'],
  75104: ['Time-out', 'The receiver did not answer in time.'],
};

function errorOf(code: number) {
  const [title, detail] = reasonByCode[code] ?? ['Delivery failed', 'The receiver did not accept the event.'];
  return { code: `${code}`, title, detail };
}

function messageOf(message: Message) {
  return {
    ...message,
    headers: message.headers?.map(([name, value]) => `${name}: ${value}`) ?? null,
  };
}

function httpOf(http: NonNullable<Attempt['http']>) {
  return {
    request: messageOf(http.request),
    ...('response' in http && { response: http.response ? messageOf(http.response) : null }),
  };
}

function attemptOf(attempt: Attempt) {
  return {
    ...attempt,
    ...(attempt.errors && { errors: attempt.errors.map(errorOf) }),
    http: attempt.http && httpOf(attempt.http),
  };
}

function isDelivery(row: unknown): row is WebhookDelivery {
  return typeof row === 'object' && row !== null && 'attempts' in row;
}

function rowOf(row: unknown): unknown {
  return isDelivery(row) ? { ...row, attempts: row.attempts?.map(attemptOf) ?? null } : row;
}

/** Deliveries in the shapes of the API's own examples, errors as objects and headers as texts; other rows as they are. */
export function publishedShapes(data: unknown): unknown {
  return Array.isArray(data) ? data.map(rowOf) : rowOf(data);
}
