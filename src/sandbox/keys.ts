import { authenticationFailed, badParameter, notAuthorized, unknownAccount, type Refusal } from './errors.ts';
import { defaultSize, sizeParameter, value, type PageMeta, type Query, type RecordBody } from './list.ts';
import type { Attempt, WebhookDelivery } from './webhook-delivery.ts';

/** What a key changes of what the contract says. */
interface Behaviour {
  /** Refuses every request. */
  readonly refusal?: Refusal;
  /** Refuses billing reports. */
  readonly reportRefusal?: Refusal;
  /** How late billing reports are, in milliseconds. */
  readonly reportDelay?: number;
  readonly query?: (query: Query) => Query;
  /** Throws where it refuses the identifier of a record. */
  readonly id?: (id: string) => void;
  readonly body?: (body: RecordBody, asked: Query) => RecordBody;
}

/** A key that joins several of these by `+` has all their behaviours. */
const behaviourByKey: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ['invalid-key', { refusal: authenticationFailed }],
  ['forbidden-key', { refusal: notAuthorized }],
  ['unknown-account-key', { reportRefusal: unknownAccount }],
  ['slow-report-key', { reportDelay: 2_000 }],
  ['clamped-pages-key', { query: clampedTo(20) }],
  ['clamped-to-100-key', { query: clampedTo(100) }],
  ['cut-pages-key', { query: clampedTo(100), body: claimSize }],
  ['no-totals-key', { body: without('total_results', 'total_pages') }],
  ['pages-only-key', { body: without('total_results') }],
  ['future-rows-key', { query: inThePast, body: inTheFuture }],
  ['ignored-filters-key', { query: withoutFilters }],
  ['published-shapes-key', { body: (body) => ({ ...body, data: publishedShapes(body.data) }) }],
  ['strict-ids-key', { id: refuseMalformed }],
]);

/** The behaviours of the bearer key of a request, none for any well-formed key without; throws the refusal of the request. */
export function behavioursOf(authorization: string | undefined): readonly Behaviour[] {
  const key = /^bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) throw authenticationFailed;
  const behaviours = key.split('+').flatMap((name) => behaviourByKey.get(name) ?? []);
  for (const { refusal } of behaviours) if (refusal !== undefined) throw refusal;
  return behaviours;
}

/** The body of a list, or of the record of an identifier, changed by the behaviours. */
export function changedBody(
  behaviours: readonly Behaviour[],
  id: string | null,
  query: Query,
  read: (query: Query) => RecordBody,
): RecordBody {
  for (const behaviour of behaviours) if (id !== null) behaviour.id?.(id);
  const understood = behaviours.reduce((changed, behaviour) => behaviour.query?.(changed) ?? changed, query);
  return behaviours.reduce((body, behaviour) => behaviour.body?.(body, query) ?? body, read(understood));
}

function sizeOf(query: Query): number {
  return Number(value(query, sizeParameter) ?? defaultSize);
}

function clampedTo(most: number): (query: Query) => Query {
  return (query) => {
    if (!(sizeOf(query) > most)) return query;
    const clamped = new URLSearchParams(query);
    clamped.set(sizeParameter, String(most));
    return clamped;
  };
}

/** Claims that the page has the size that was asked for. */
function claimSize(body: RecordBody, asked: Query): RecordBody {
  const size = sizeOf(asked);
  if (body.meta === undefined || !Number.isInteger(size)) return body;
  return {
    ...body,
    meta: { ...body.meta, page_size: size, total_pages: Math.ceil((body.meta.total_results ?? 0) / size) },
  };
}

function without(...names: readonly (keyof PageMeta)[]): (body: RecordBody) => RecordBody {
  return (body) => {
    if (body.meta === undefined) return body;
    const kept = Object.entries(body.meta).filter(([name]) => !names.some((other) => other === name));
    return { ...body, meta: Object.fromEntries(kept) };
  };
}

function withoutFilters(query: Query): Query {
  return new URLSearchParams([...query].filter(([name]) => !name.startsWith('filter[')));
}

const timestampPattern = /^(\d{4})(-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))$/;

function shiftYears(text: string, years: number): string {
  return text.replace(
    timestampPattern,
    (_all, year: string, rest: string) => `${String(Math.max(0, Number(year) + years)).padStart(4, '0')}${rest}`,
  );
}

/** All moments of rows lie a century later, and those of filters are read as such. */
function inTheFuture(body: RecordBody): RecordBody {
  return { ...body, data: mapTexts(body.data, (text) => shiftYears(text, 100)) };
}

function inThePast(query: Query): Query {
  return new URLSearchParams([...query].map(([name, text]) => [name, shiftYears(text, -100)]));
}

/** A copy of a value with each text in it changed; names and big numbers stay as they are. */
function mapTexts(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === 'string') return change(data);
  if (Array.isArray(data)) return data.map((item) => mapTexts(item, change));
  const isRaw = (JSON as unknown as { isRawJSON(data: unknown): boolean }).isRawJSON(data);
  if (typeof data !== 'object' || data === null || isRaw) return data;
  return Object.fromEntries(Object.entries(data).map(([name, item]) => [name, mapTexts(item, change)]));
}

const wellFormedId = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{19})$/i;

function refuseMalformed(id: string): void {
  if (!wellFormedId.test(id)) throw badParameter('id', 'The identifier is not well-formed.');
}

/** Deliveries in the shapes of the API's own examples, errors as objects and headers as texts; other rows as they are. */
function publishedShapes(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(publishedShapes);
  if (typeof data !== 'object' || data === null || !('attempts' in data)) return data;
  const { attempts } = data as WebhookDelivery;
  return { ...data, attempts: attempts?.map(publishedAttempt) ?? null };
}

function publishedAttempt({ errors, http, ...attempt }: Attempt) {
  return {
    ...attempt,
    http: http && {
      request: publishedMessage(http.request),
      ...('response' in http && { response: http.response ? publishedMessage(http.response) : null }),
    },
    ...(errors && { errors: errors.map(publishedError) }),
  };
}

function publishedMessage<Message extends { readonly headers?: [name: string, value: string][] | null }>(
  message: Message,
) {
  return { ...message, headers: message.headers?.map(([name, text]) => `${name}: ${text}`) ?? null };
}

const reasonByCode: Readonly<Record<number, [title: string, detail: string]>> = {
  75101: ['Connection failed', 'The receiver could not be reached.'],
  75104: ['Time-out', 'The receiver did not answer in time.'],
};

function publishedError(code: number) {
  const [title, detail] = reasonByCode[code] ?? ['Delivery failed', 'The receiver did not accept the event.'];
  return { code: `${code}`, title, detail };
}
