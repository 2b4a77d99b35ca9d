import { Random } from '../../src/sandbox/random.ts';
import type { JsonRecord } from '../support/records.ts';
import type { Reply, SeenRequest } from '../support/scripted-upstream.ts';
import type { Lies, Told } from './lies.ts';
import type { Noun } from './noun.ts';

const newest = Date.parse('2026-10-01T00:00:00Z');

/** Where the attempt of each delivery and the events of each connection go, by number. */
export const urlOf = (number: number): string => `https://${number}.example.com/hooks`;

const isTold = process.env['LYING_ONLY'] !== undefined;

/** Changes the list before a call is answered. */
export type Happen = (list: LyingList) => void;

export interface ListOptions {
  readonly noun: Noun;
  readonly isLiar: boolean;
  readonly length: number;
  readonly lies: Lies;
  readonly seed: string;
  readonly happen: Happen | null;
}

/** One list of an upstream that may tell the truth or not; equal seeds give equal answers to equal requests. */
export class LyingList {
  readonly noun: Noun;
  /** Whether it is the one that a run is about. */
  readonly isLiar: boolean;
  readonly lies: Lies;
  /** All lengths that it has told since they were last taken: what whoever believes one of them may take the list to be. */
  readonly told: number[] = [];
  /** The largest page size and the smallest page number that it was ever asked for. */
  readonly asked = { largest: 0, smallest: 1, lowest: 1 };
  /** Rows by position that it has shown there although they stand elsewhere. */
  readonly shown = new Map<string, Set<number>>();
  /** Whether a page of other rows was, by all that it said, the one that was asked for. */
  isDeceptive = false;
  rows: readonly JsonRecord[];
  calls = 0;
  readonly #seed: string;
  readonly #repeats = new Map<string, number>();
  readonly #happen: Happen | null;
  #made = 0;

  constructor({ noun, isLiar, length, lies, seed, happen }: ListOptions) {
    this.noun = noun;
    this.isLiar = isLiar;
    this.lies = lies;
    this.#seed = seed;
    this.#happen = happen;
    this.rows = Array.from({ length }, (_, index) => this.#make(-index * 1000));
  }

  get ids(): readonly string[] {
    return this.rows.map((row) => this.idOf(row));
  }

  idOf(row: JsonRecord): string {
    return String(row[this.noun.idName]);
  }

  /** Puts a row before the one at this index, made between the two that stand there. */
  insert(index: number): void {
    const above = this.#secondAt(index - 1) ?? (this.#secondAt(index) ?? 0) + 1000;
    const below = this.#secondAt(index) ?? above - 1000;
    this.rows = this.rows.toSpliced(index, 0, this.#make((above + below) / 2));
  }

  delete(index: number): void {
    this.rows = this.rows.toSpliced(index, 1);
  }

  #secondAt(index: number): number | undefined {
    const row = this.rows[index];
    return row === undefined ? undefined : Number(row['second']);
  }

  #make(second: number): JsonRecord {
    const number = this.#made++;
    const [whole, fraction] = [Math.floor(second), (second - Math.floor(second)).toFixed(9).slice(2)];
    const time = new Date(newest + whole * 1000).toISOString().replace('000Z', `${fraction}Z`);
    return {
      [this.noun.idName]: `${this.noun.list}-${number}`,
      [this.noun.timeName]: time,
      second,
      connection_name: `name ${number}`,
      webhook_event_url: urlOf(number),
      attempts: [{ started_at: time, http: { request: { url: urlOf(number % 3) } } }],
    };
  }

  /** The rows that a request's filters let through: all of them are obeyed. */
  matching({ query }: Pick<SeenRequest, 'query'>): readonly JsonRecord[] {
    const gte = query['filter[started_at][gte]'];
    const lte = query['filter[started_at][lte]'];
    const name = query['filter[connection_name]'];
    const url = query['filter[attempts][contains]'];
    return this.rows.filter((row) => {
      const time = String(row[this.noun.timeName]);
      if (gte !== undefined && time < gte) return false;
      if (lte !== undefined && time > lte) return false;
      if (name !== undefined && row['connection_name'] !== name) return false;
      return url === undefined || JSON.stringify(row['attempts']).includes(url);
    });
  }

  answer(request: SeenRequest): Reply {
    this.calls++;
    this.#happen?.(this);
    const size = Number(request.query['page[size]']);
    const number = Number(request.query['page[number]']);
    this.asked.largest = Math.max(this.asked.largest, size);
    this.asked.smallest = Math.min(this.asked.smallest, size);
    this.asked.lowest = Math.min(this.asked.lowest, number);
    const key = request.rawQuery;
    const repeat = this.#repeats.get(key) ?? 0;
    this.#repeats.set(key, repeat + 1);
    const always = new Random(`${this.#seed} ${key}`);
    const now = new Random(`${this.#seed} ${key} ${repeat}`);
    if (now.chance(this.lies.failing)) return { status: 503, text: 'not now' };
    const rows = this.matching(request);
    const used = this.#usedSize(size, now);
    const data = this.#rowsOf(rows, number, size, used, always);
    const meta = this.#metaOf(rows.length, number, size, used, always);
    const expected = Math.max(0, Math.min(size, rows.length - (number - 1) * size));
    const isLast = Number(meta['total_pages'] ?? 0) <= number || data.length === size;
    if (number > 1 && used.step !== size && data.length === expected && isLast) this.isDeceptive = true;
    if (isTold) console.log(decodeURIComponent(key), data.map((row) => this.idOf(row).split('-')[1]).join(' '), meta);
    return { json: { data, meta } };
  }

  /** By what is asked, the rows that begin there, and how many of them there may be. */
  #usedSize(size: number, now: Random): { readonly step: number; readonly most: number } {
    const { kind, most } = this.lies.sizes;
    if (kind === 'obeyed') return { step: size, most: size };
    const limit = now.pick(most);
    if (kind === 'ignored') return { step: limit, most: limit };
    return kind === 'cut' ? { step: size, most: Math.min(size, limit) } : { step: Math.min(size, limit), most: size };
  }

  #rowsOf(
    rows: readonly JsonRecord[],
    number: number,
    size: number,
    { step, most }: { readonly step: number; readonly most: number },
    always: Random,
  ): readonly JsonRecord[] {
    const from = (number - 1) * step;
    const page = rows.slice(from, from + Math.min(step, most));
    const { rows: lie, share } = this.lies;
    if (lie === 'none' || page.length < 2 || !always.chance(share)) return page;
    const at = always.int(0, page.length - 1);
    const before = rows[from - 1];
    if (lie === 'dropped') return page.toSpliced(at, 1);
    if (lie === 'doubled') return page.toSpliced(at, 0, page[at] as JsonRecord);
    if (before === undefined) return page;
    const places = this.shown.get(this.idOf(before)) ?? new Set();
    this.shown.set(this.idOf(before), places.add((number - 1) * size));
    return page.with(0, before);
  }

  #metaOf(
    total: number,
    number: number,
    size: number,
    { step }: { readonly step: number },
    always: Random,
  ): JsonRecord {
    const { sizes, share, isSwapped } = this.lies;
    const isTrue = !always.chance(share);
    const shown = sizes.isTold ? step : size;
    const told = (how: Told, count: number): unknown => (isTrue ? count : tellWrongly(how, count, always));
    const values = {
      total_results: told(this.lies.total, total),
      total_pages: told(this.lies.pages, Math.ceil(total / (always.chance(0.5) ? shown : step))),
      page_number: told(this.lies.number, number),
      page_size: told(this.lies.size, shown),
    };
    const meta =
      isSwapped && !isTrue
        ? { ...values, total_results: values.total_pages, total_pages: values.total_results }
        : values;
    for (const length of [meta.total_results, Number(meta.total_pages) * size])
      if (Number.isInteger(length) && Number(length) >= 0) this.told.push(Number(length));
    return meta;
  }
}

function tellWrongly(how: Told, count: number, random: Random): unknown {
  switch (how) {
    case 'true':
      return count;
    case 'absent':
      return undefined;
    case 'null':
      return null;
    case 'text':
      return random.pick([String(count), '', 'many', [count], { count }, true]);
    case 'negative':
      return -count - 1;
    case 'fraction':
      return count + 0.5;
    case 'huge':
      return random.pick([2 ** 31, 2 ** 31 - 1, 2 ** 53, 1e300, 1_000_000]);
    case 'one more':
      return count + 1;
    case 'one less':
      return Math.max(0, count - 1);
    case 'zero':
      return 0;
    default:
      return random.int(0, 2 * count + 3);
  }
}
