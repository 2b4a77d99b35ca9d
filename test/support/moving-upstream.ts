import { compareMoments, momentOf } from '../../src/moment.ts';
import { pageReply, refusal, type Reply, type SeenRequest } from './scripted-upstream.ts';
import { webhookDeliveryRecord, type JsonRecord } from './records.ts';

/** The lists of the upstream: the field that identifies the rows of each, and the one that sorts it, newest first. */
const forms = {
  '/ip_connections': { idName: 'id', timeName: 'created_at', pageLimit: 250 },
  '/ai/missions': { idName: 'mission_id', timeName: 'created_at', pageLimit: 1000 },
  '/webhook_deliveries': { idName: 'id', timeName: 'started_at', pageLimit: 250 },
} as const;

export type ListPath = keyof typeof forms;

const newestSecond = Date.parse('2026-10-01T00:00:00Z') / 1000;

/**
 * One list of an upstream whose rows come and go: it keeps its order whatever happens, filters as the contract says, and
 * serves pages as large as the real one.
 */
export class MovingUpstream {
  rows: readonly JsonRecord[] = [];
  readonly path: ListPath;
  readonly #form: (typeof forms)[ListPath];
  #created = 0;

  constructor(path: ListPath, size: number, fields: (index: number) => JsonRecord = () => ({})) {
    this.path = path;
    this.#form = forms[path];
    this.rows = Array.from({ length: size }, (_, index) => this.#create(-index * 1000, fields(index)));
  }

  /** The identifiers of the rows as they are now, in order. */
  get ids(): readonly string[] {
    return this.rows.map((row) => String(row[this.#form.idName]));
  }

  /** Puts rows before the one at this index, made between the two that stand there. */
  insert(index: number, count: number, fields: JsonRecord = {}): void {
    const above = this.#secondAt(index - 1) ?? (this.#secondAt(index) ?? 0) + 1000;
    const below = this.#secondAt(index) ?? above - 1000;
    const added = Array.from({ length: count }, (_, row) =>
      this.#create(above - ((above - below) * (row + 1)) / (count + 1), fields),
    );
    this.rows = this.rows.toSpliced(index, 0, ...added);
  }

  delete(index: number, count: number): void {
    this.rows = this.rows.toSpliced(index, count);
  }

  readonly answer = (request: SeenRequest): Reply => {
    if (request.path !== this.path) return { status: 404, text: 'no such list' };
    return pageReply(
      this.rows.filter((row) => matches(row, row[this.#form.timeName], request)),
      request,
      this.#form.pageLimit,
    );
  };

  #secondAt(index: number): number | undefined {
    const row = this.rows[index];
    return row === undefined ? undefined : (this.#seconds.get(String(row[this.#form.idName])) ?? 0);
  }

  readonly #seconds = new Map<string, number>();

  #create(second: number, fields: JsonRecord): JsonRecord {
    const id = `row-${this.#created++}`;
    this.#seconds.set(id, second);
    return { [this.#form.idName]: id, [this.#form.timeName]: timestampAt(second), ...fields };
  }
}

/** Whether a row of this moment fits the filters of a request. */
function matches(row: JsonRecord, time: unknown, { query }: SeenRequest): boolean {
  const gte = query['filter[started_at][gte]'];
  const lte = query['filter[started_at][lte]'];
  const name = query['filter[connection_name]'];
  const url = query['filter[attempts][contains]'];
  const event = query['filter[webhook][contains]'];
  const status = query['filter[status][eq]'];
  if (gte !== undefined && !isWithin(gte, time)) return false;
  if (lte !== undefined && !isWithin(time, lte)) return false;
  if (name !== undefined && row['connection_name'] !== name) return false;
  if (status !== undefined && row['status'] !== status) return false;
  if (event !== undefined && !JSON.stringify(row['webhook'] ?? null).includes(event)) return false;
  return url === undefined || urlsOf(row).some((tried) => tried.includes(url));
}

/** Whether one moment is not later than another; bounds and rows have different numbers of digits. */
function isWithin(earlier: unknown, later: unknown): boolean {
  const [from, to] = [momentOf(earlier), momentOf(later)];
  return from !== null && to !== null && compareMoments(from, to) <= 0;
}

/** Seconds from the newest of the first rows, with nine digits of a fraction: rows can always come between two others. */
export function timestampAt(second: number): string {
  const whole = Math.floor(second);
  const fraction = (second - whole).toFixed(9).slice(2);
  return new Date((newestSecond + whole) * 1000).toISOString().replace('000Z', `${fraction}Z`);
}

/** An attempt at an address, as much of it as relations look at. */
export function attemptAt(url: string, startedAt?: string): JsonRecord {
  return { started_at: startedAt, http: { request: { url } } };
}

function urlsOf({ attempts }: JsonRecord): readonly string[] {
  const all = (attempts ?? []) as readonly { readonly http: { readonly request: { readonly url: string } } }[];
  return all.map(({ http }) => http.request.url);
}

/** A reply that fails as the upstream does. */
export const failure: Reply = refusal(500, '10007', 'Unexpected error', 'an unexpected error occurred');

/** The deliveries of an upstream to which more come, newest first. */
export class GrowingDeliveries {
  rows: readonly JsonRecord[] = [];
  #made = 0;

  /** Adds deliveries that began at these seconds, and returns their identifiers. */
  add(seconds: readonly number[], fields: JsonRecord = {}): readonly string[] {
    const added = seconds.map((second) =>
      webhookDeliveryRecord({ id: `delivery-${this.#made++}`, started_at: millisecondAt(second), ...fields }),
    );
    const startOf = (row: JsonRecord): number => Date.parse(String(row['started_at']));
    this.rows = [...added.toReversed(), ...this.rows].sort((a, b) => startOf(b) - startOf(a));
    return added.map(({ id }) => String(id));
  }

  readonly answer = (request: SeenRequest): Reply =>
    pageReply(
      this.rows.filter((row) => matches(row, row['started_at'], request)),
      request,
    );
}

/** The timestamp of a second in whole milliseconds, by which these rows are sorted and filtered. */
function millisecondAt(second: number): string {
  return new Date(newestSecond * 1000 + second * 1000).toISOString();
}
