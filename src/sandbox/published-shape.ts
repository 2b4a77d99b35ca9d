import type { WebhookDelivery } from './webhook-delivery.ts';

type Attempt = NonNullable<WebhookDelivery['attempts']>[number];
type Message = { headers?: [name: string, value: string][] | null };

const REASONS: Readonly<Record<number, [title: string, detail: string]>> = {
  75101: ['Connection failed', 'The receiver could not be reached.'],
  75104: ['Time-out', 'The receiver did not answer in time.'],
};

const errorOf = (code: number) => {
  const [title, detail] = REASONS[code] ?? ['Delivery failed', 'The receiver did not accept the event.'];
  return { code: `${code}`, title, detail };
};

const messageOf = (message: Message) => ({
  ...message,
  headers: message.headers?.map(([name, value]) => `${name}: ${value}`) ?? null,
});

const httpOf = (http: NonNullable<Attempt['http']>) => ({
  request: messageOf(http.request),
  ...('response' in http && { response: http.response ? messageOf(http.response) : null }),
});

const attemptOf = (attempt: Attempt) => ({
  ...attempt,
  ...(attempt.errors && { errors: attempt.errors.map(errorOf) }),
  http: attempt.http && httpOf(attempt.http),
});

const isDelivery = (row: unknown): row is WebhookDelivery =>
  typeof row === 'object' && row !== null && 'attempts' in row;

const rowOf = (row: unknown): unknown =>
  isDelivery(row) ? { ...row, attempts: row.attempts?.map(attemptOf) ?? null } : row;

/** Deliveries in the shapes of the API's own examples: errors as objects, headers as texts. Other rows stay as they are. */
export const publishedShapes = (data: unknown): unknown => (Array.isArray(data) ? data.map(rowOf) : rowOf(data));
