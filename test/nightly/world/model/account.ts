import {
  attemptRecord,
  ipConnectionRecord,
  missionRecord,
  webhookDeliveryRecord,
  type JsonRecord,
} from '../../../support/records.ts';
import type { Random } from '../types.ts';
import { ChargesLog } from './charges.ts';

/** The three lists of an account. */
export const listNames = ['connections', 'missions', 'deliveries'] as const;
export type ListName = (typeof listNames)[number];

/** One row as the API has it now; a change makes another one. */
export interface Row {
  readonly id: string;
  /** When it was made, as text that sorts. */
  readonly moment: string;
  readonly record: JsonRecord;
  /** Its JSON. */
  readonly text: string;
}

/** The rows of a list from a moment on, newest first. */
export interface Version {
  readonly from: number;
  readonly rows: readonly Row[];
}

// No walk through a list takes as long.
const keptMs = 1_200_000;

/** A list that changes, and remembers what it was. */
export class MovingList {
  readonly #listed = new Map<string, number>();
  #versions: Version[];

  constructor(now: number, rows: readonly Row[]) {
    this.#versions = [{ from: now, rows }];
  }

  /** When a row came into the list; minus infinity for those that were always there. */
  listedAt(id: string): number {
    return this.#listed.get(id) ?? -Infinity;
  }

  get rows(): readonly Row[] {
    return (this.#versions.at(-1) as Version).rows;
  }

  /** Every state that the list had within a span, its ends included. */
  between(from: number, to: number): readonly Version[] {
    return this.#versions.filter((version, index) => {
      const next = this.#versions[index + 1];
      return version.from <= to && (next === undefined || next.from >= from);
    });
  }

  /** Puts rows where their moments belong, before their equals. */
  insert(now: number, added: readonly Row[]): void {
    let { rows } = this;
    for (const row of added) {
      this.#listed.set(row.id, now);
      const at = rows.findIndex(({ moment }) => moment <= row.moment);
      rows = rows.toSpliced(at < 0 ? rows.length : at, 0, row);
    }
    this.#set(now, rows);
  }

  remove(now: number, ids: ReadonlySet<string>): void {
    const left = this.rows.filter(({ id }) => !ids.has(id));
    this.#set(now, left);
  }

  replace(now: number, row: Row): void {
    const changed = this.rows.map((each) => (each.id === row.id ? row : each));
    this.#set(now, changed);
  }

  #set(now: number, rows: readonly Row[]): void {
    this.#versions.push({ from: now, rows });
    if ((this.#versions[64]?.from ?? now) < now - keptMs) this.#versions = this.#versions.slice(64);
  }
}

/** How the API serves one list of an account, for as long as it exists. */
export interface Manner {
  /** The most rows of a page, whatever is asked for; null: as asked for, up to the limit. */
  readonly clamp: number | null;
  /** Whether `meta` tells the size that was used. */
  readonly isTold: boolean;
  readonly meta: 'whole' | 'none' | 'pages';
  /** What its pages contradict: a row too few, a row twice, or pages of changing sizes. */
  readonly lie: 'none' | 'short' | 'doubled' | 'sizes';
  /** The share of its calls before which a row comes or goes. */
  readonly moves: number;
}

/** An API that keeps to its contract. */
export const honest: Manner = { clamp: null, isTold: true, meta: 'whole', lie: 'none', moves: 0 };

/** What an account is made of, as a script has it. */
export interface AccountPlan {
  readonly lengths: Readonly<Record<ListName, number>>;
  readonly manners: Readonly<Record<ListName, Manner>>;
  readonly numbers: number;
}

// Any ten characters of a secret in a row have this in them.
const mark = 'zQx';

/** A secret that no other text resembles, and of which any ten characters can be found quickly. */
export function makeSecret(random: Random, length = 36): string {
  let text = '';
  while (text.length < length) text += mark + String(random.below(1_000)).padStart(3, '0');
  return text.slice(0, length);
}

/** An account of the API with its key. */
export class Account {
  readonly number: number;
  readonly key: string;
  /** What no output may show: the key, the connections' token, and credentials in headers of deliveries. */
  readonly secrets: readonly string[];
  readonly lists: Readonly<Record<ListName, MovingList>>;
  readonly manners: AccountPlan['manners'];
  readonly charges: ChargesLog;
  /** What the API thinks of the key. */
  keyState: 'good' | 'revoked' | 'forbidden' = 'good';
  readonly #random: Random;
  readonly #connections: MovingList;
  readonly #token: string;
  readonly #credential: string;
  #made = 0;

  constructor(number: number, plan: AccountPlan, random: Random, now: number) {
    this.number = number;
    this.#random = random;
    // GraphQL takes it for a name, so that a client may put it anywhere.
    this.key = `key${number}_${makeSecret(random)}`;
    this.#token = makeSecret(random, 24);
    this.#credential = makeSecret(random, 30);
    this.secrets = [this.key, this.#token, this.#credential];
    this.manners = plan.manners;
    const fill = (length: number, stepMs: number, make: (at: number) => Row): MovingList => {
      let at = now - 60_000;
      const rows = Array.from({ length }, () => make((at -= 1 + random.below(stepMs))));
      return new MovingList(now, rows.sort(byMoment));
    };
    this.#connections = fill(plan.lengths.connections, 86_400_000, (at) => this.makeConnection(at));
    this.lists = {
      connections: this.#connections,
      missions: fill(plan.lengths.missions, 3_600_000, (at) => this.makeMission(at)),
      deliveries: fill(plan.lengths.deliveries, 60_000, (at) => this.makeDelivery(at)),
    };
    this.charges = new ChargesLog(number, plan.numbers);
  }

  makeConnection(at: number): Row {
    const random = this.#random;
    const seq = this.#made++;
    const id = random.chance(0.5) ? this.#uuid(seq) : `9${this.number}${String(seq).padStart(17, '0')}`;
    const moment = momentAt(at, random);
    const plain = ipConnectionRecord();
    const record = ipConnectionRecord({
      id,
      created_at: moment,
      active: random.chance(0.7),
      connection_name: `${random.pick(['Head office', 'fax', 'Älpler 中', 'x"\\y'])} ${seq % 50}`,
      tags: random.pick([[], ['office'], ['office', 'emea'], null]),
      webhook_event_url: `https://${seq % 7}.hooks.example.com/a${this.number}`,
      webhook_event_failover_url: random.pick([null, '', `https://f${seq % 5}.hooks.example.com/a${this.number}`]),
      outbound: { ...(plain['outbound'] as JsonRecord), ip_authentication_token: this.#token },
    });
    return rowOf(id, moment, record);
  }

  makeMission(at: number): Row {
    const id = this.#uuid(this.#made++);
    const moment = momentAt(at, this.#random);
    const metadata = this.#random.pick([{}, { deep: [{ a: null }] }, null]);
    return rowOf(id, moment, missionRecord({ mission_id: id, created_at: moment, metadata }));
  }

  /** A row comes at the head of a list, or one of it goes. */
  move(list: ListName, now: number): void {
    const { rows } = this.lists[list];
    if (rows.length > 0 && this.#random.chance(0.4))
      return this.lists[list].remove(now, new Set([this.#random.pick(rows).id]));
    const make = {
      connections: () => this.makeConnection(now),
      missions: () => this.makeMission(now),
      deliveries: () => this.makeDelivery(now),
    }[list];
    this.lists[list].insert(now, [make()]);
  }

  makeDelivery(at: number): Row {
    const random = this.#random;
    const id = this.#uuid(this.#made++);
    const moment = momentAt(at, random);
    const { rows } = this.#connections;
    const connection = rows.length > 0 && random.chance(0.7) ? random.pick(rows) : null;
    const payload = random.chance(0.6) ? { connection_id: connection?.id ?? 'nobody' } : { call_id: 'v3:abc' };
    const status = random.pick(['delivered', 'delivered', 'failed']);
    const url = (connection?.record['webhook_event_url'] as string | undefined) ?? 'https://elsewhere.example.com/';
    const attempts = Array.from({ length: 1 + random.below(3) }, () =>
      attemptRecord({
        status,
        started_at: moment,
        http: { request: { url, headers: this.#headers() }, response: null },
      }),
    );
    const type = random.pick(['call_initiated', 'call.hangup', 'message.sent']);
    const webhook = { ...(webhookDeliveryRecord()['webhook'] as JsonRecord), event_type: type, payload };
    const record = webhookDeliveryRecord({ id, status, started_at: moment, finished_at: moment, attempts, webhook });
    return rowOf(id, moment, record);
  }

  #headers(): readonly unknown[] {
    const value = this.#credential;
    return this.#random.pick<readonly unknown[]>([
      ['Authorization', 'cookie', 'Set-Cookie', 'X-Api-Key', 'User-Agent'].map((name) => [
        name,
        name === 'User-Agent' ? 'webhooks' : value,
      ]),
      [`Proxy-Authorization: ${value}`, 'Accept: */*'],
      [],
    ]);
  }

  #uuid(seq: number): string {
    return `a${this.number.toString(16).padStart(7, '0')}-0000-4000-8000-${seq.toString(16).padStart(12, '0')}`;
  }
}

function momentAt(at: number, random: Random): string {
  return new Date(at).toISOString().replace('Z', `${String(random.below(1000)).padStart(3, '0')}Z`);
}

function byMoment(a: Row, b: Row): number {
  return a.moment < b.moment ? 1 : a.moment > b.moment ? -1 : 0;
}

function rowOf(id: string, moment: string, record: JsonRecord): Row {
  return { id, moment, record, text: JSON.stringify(record) };
}

/** The same row with other fields. */
export function changedRow({ id, moment, record }: Row, fields: JsonRecord): Row {
  return rowOf(id, moment, { ...record, ...fields });
}

const ids = /\ba([\da-f]{7})-0000-4000-8000-[\da-f]{12}\b|\b9(\d)\d{17}\b|\baccount(\d+)@/g;

/** The numbers of all accounts whose rows, reports or addresses a text shows. */
export function accountsIn(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [, hex, digits, mail] of text.matchAll(ids))
    found.add(hex === undefined ? Number(digits ?? mail) : Number.parseInt(hex, 16));
  return found;
}
