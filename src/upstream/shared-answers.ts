import { setImmediate as nextTick } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CancelSignal, CancelSource } from '../cancellation.ts';
import { GatewayError } from '../errors.ts';
import type { CallerKey } from './credential.ts';
import { TransientMap } from './transient-map.ts';
import type { Call, Caller, Sending } from './call.ts';
import { ReceivedBody, type ResponseHead, type WireResponse } from './response/wire-response.ts';
import { failureAt, isReadable } from './response/response-reader.ts';

/** Bytes that are kept of answers that do not change any more, for all callers together; the oldest goes first. */
const finalAnswersRoom = 16_777_216;

/** What the smallest of them counts as, in bytes, with all that is kept beside it. */
const finalAnswerBytes = 4_096;

/** Milliseconds after a call that the API has accepted, in which its caller is shown what is kept. */
const provenMs = 60_000;

/** Milliseconds for which such a caller waits for a call that is under way, rather than make another. */
const justNowMs = 50;

/** What came for a call. It is read once for all who ask, when somebody needs what it holds. */
export class Answer<Body> {
  #response: WireResponse | null;
  readonly #read: (response: WireResponse, isExact: boolean, signal?: CancelSignal) => Promise<Body>;
  #plain: Promise<Body> | undefined;
  #exact: Promise<Body> | undefined;
  #drop: (() => void) | null = null;

  constructor(
    response: WireResponse,
    read: (response: WireResponse, isExact: boolean, signal?: CancelSignal) => Promise<Body>,
  ) {
    this.#response = response;
    this.#read = read;
  }

  /** As it came; null where that is no whole response, or what came has been let go of. */
  get bytes(): ReceivedBody | null {
    return this.#response !== null && isReadable(this.#response) ? this.#response.body : null;
  }

  /** As its endpoint reads it, its free-form values digit for digit or not. Fails with what the response stands for. */
  body(isExact: boolean, signal?: CancelSignal): Promise<Body> {
    const known = isExact ? this.#exact : this.#plain;
    if (known !== undefined) return known;
    const body = this.#read(this.#response as WireResponse, isExact, signal);
    if (isExact) this.#exact = body;
    else this.#plain = body;
    if (this.#drop !== null) {
      this.#response = null;
      body.catch(this.#drop);
    }
    return body;
  }

  /** Keeps what was read of it, or else its bytes, in memory of their own. `drop` runs if it turns out to be no answer. */
  keep(drop: () => void): void {
    this.#drop = drop;
    const isRead = this.#plain !== undefined || this.#exact !== undefined;
    this.#response = isRead ? null : withOwnBody(this.#response as WireResponse);
  }
}

function withOwnBody({ status, headers, body }: WireResponse): WireResponse {
  return { status, headers, body: new ReceivedBody([body.copy()]) };
}

/** Kept answers of one kind by name, each for a time. None is asked for by what renews it: the oldest goes first. */
type Room = LRUCache<string, Entry<unknown>>;

/** A caller of calls whose answers may be kept. */
interface Owner {
  readonly identity: string;
  readonly entries: Set<Entry<unknown>>;
  /** When the API has last accepted the key. */
  acceptedAt: number;
  /** The call that was sent last, and when. */
  latest: Entry<unknown> | null;
  sentAt: number;
}

/** A call of a caller: under way for all who wait for it, or answered and kept. */
export class Entry<Body> {
  /** Names the caller too. */
  readonly name: string;
  readonly call: Call<Body>;
  /** Null where its answer is not to be kept. */
  readonly room: Room | null;
  readonly owner: Owner | null;
  /** Null once it is answered: nothing is kept of the request that it was for. */
  sending: Sending | null;
  answer: Promise<Answer<Body>>;
  /** The status by which the API has refused its caller since it began. */
  refused: 401 | 403 | null = null;
  /** Of the answer, once it is kept. */
  bytes = 0;
  #waiting = 0;

  constructor(name: string, call: Call<Body>, sending: Sending, room: Room | null, owner: Owner | null) {
    this.name = name;
    this.call = call;
    this.room = room;
    this.owner = owner;
    this.sending = sending;
    this.answer = gone;
  }

  /**
   * Waits for the answer as long as a caller does; one with more time gives the call more time. When the last one has left, the call
   * ends, and `close` keeps others from joining it. A failure of the wire gets the name of its endpoint.
   */
  join(call: Call<Body>, caller: Caller, close: () => void): Promise<Answer<Body>> {
    const sending = this.sending as Sending;
    const { signal } = caller;
    sending.deadline = Math.max(sending.deadline, caller.deadline);
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(failureAt(call, undefined, error));
      const leave = (): void => {
        signal.removeEventListener('abort', leave);
        fail(signal.reason);
        if (--this.#waiting > 0) return;
        close();
        (sending.signal as CancelSource).abort(signal.reason);
      };
      const settle = (tell: () => void): void => {
        if (signal.aborted) return;
        signal.removeEventListener('abort', leave);
        if (sending.rateLimit !== null) caller.noteRateLimit?.(sending.rateLimit);
        tell();
      };
      signal.addEventListener('abort', leave);
      this.answer.then(
        (answer) =>
          settle(() => {
            noteResponse(sending, caller);
            resolve(answer);
          }),
        (error: unknown) => settle(() => fail(error)),
      );
    });
  }
}

function noteResponse({ response }: Sending, caller: Caller): void {
  if (response === null) return;
  const { status, body, hold } = response;
  caller.noteBytes?.(body.length);
  hold?.shareWith(caller);
  if (caller.trace !== undefined) Object.assign(caller.trace, { status, bytes: body.length });
}

export interface AnswersOptions {
  /** For how many milliseconds reports that callers page through are kept, and the bytes that all of them may have; 0 keeps none. */
  readonly reports?: { readonly keepMs: number; readonly mostBytes: number };
  /** For how many milliseconds answers are kept that do not change any more; 0 keeps none. */
  readonly finalMs?: number;
  /** The reports of all replicas; absent where there is one replica. */
  readonly shared?: SharedReports | undefined;
}

/**
 * All calls that are under way, which equal calls of their caller join; and the answers that linger: reports, for as long as somebody may
 * be paging through them, since the API sends a report whole, and answers that do not change any more, such as months that are over. A
 * revoked key must see nothing of them: all are forgotten at the first refusal, and what is kept for long is shown only within a minute of
 * a call that the API has accepted.
 */
export class Answers {
  readonly #entries = new TransientMap<string, Entry<unknown>>();
  readonly #owners = new Map<string, Owner>();
  readonly #reports: Room;
  readonly #final: Room;
  readonly #shared: SharedReports | undefined;

  constructor({ reports, finalMs = 0, shared }: AnswersOptions) {
    this.#reports = this.#createRoom(reports?.keepMs ?? 0, reports?.mostBytes ?? 0, 1);
    this.#final = this.#createRoom(finalMs, finalAnswersRoom, finalAnswerBytes);
    this.#shared = shared;
    shared?.watchRefusals((identity, status, endpoint) => this.#forget(identity, status, endpoint));
  }

  /** How many reports are kept, and the bytes of their bodies. */
  get size(): { readonly count: number; readonly bytes: number } {
    return { count: this.#reports.size, bytes: this.#reports.calculatedSize };
  }

  /** The call of a name that is under way, or its answer if it may be shown; it may be `whenProven`. */
  get<Body>(name: string): Entry<Body> | undefined {
    const entry = this.#entries.get(name) as Entry<Body> | undefined;
    if (entry === undefined || entry.sending !== null) return entry;
    return entry.room?.has(name) !== true || this.#isUnproven(entry) ? undefined : entry;
  }

  /**
   * Null unless an answer is kept that may not be shown yet. Otherwise resolves once the caller's latest call has ended, if that was sent
   * just now, or at once: then this one has to be sent.
   */
  whenProven(name: string): Promise<void> | null {
    const entry = this.#entries.get(name);
    return entry !== undefined && this.#isUnproven(entry) ? latestCallOf(entry.owner as Owner) : null;
  }

  #isUnproven({ call, sending, owner }: Entry<unknown>): boolean {
    return call.isFinal && sending === null && owner !== null && performance.now() - owner.acceptedAt >= provenMs;
  }

  /** Begins a call in the place of its name. */
  begin<Body>(name: string, call: Call<Body>, sending: Sending): Entry<Body> {
    const before = this.#entries.get(name);
    before?.room?.delete(name);
    const room = this.#roomOf(call);
    const owner = this.#owners.get(sending.identity) ?? (room && this.#addOwner(sending.identity));
    const entry = new Entry(name, call, sending, room, owner);
    this.#entries.set(name, entry);
    if (owner === null) return entry;
    if (room !== null) owner.entries.add(entry);
    owner.latest = entry;
    owner.sentAt = performance.now();
    return entry;
  }

  /** A call has ended, with a response of the API if there is one. */
  end(entry: Entry<unknown>, response: ResponseHead | null): void {
    const { owner } = entry;
    entry.sending = null;
    if (entry.room?.peek(entry.name) !== entry) this.#drop(entry);
    if (owner !== null && response !== null && response.status >= 200 && response.status < 300)
      owner.acceptedAt = performance.now();
  }

  /** Closes a call to those who come now; those who wait for it still do. */
  close(entry: Entry<unknown>): void {
    if (this.#entries.get(entry.name) === entry) this.#entries.delete(entry.name);
  }

  /** Looks for the report of a call that another replica keeps, and for how long; null where none can be. */
  findShared({ room }: Entry<unknown>, sending: Sending): ReturnType<SharedReports['find']> | null {
    if (this.#shared === undefined || room !== this.#reports) return null;
    return this.#shared.find(sending, nameOf(sending.call));
  }

  /**
   * Keeps an answer if it may be kept, for less than all answers where another replica has left `leftMs` of its time. Throws
   * UNAUTHENTICATED where its caller has been refused since the call began.
   */
  keep(entry: Entry<unknown>, sending: Sending, answer: Answer<unknown>, body: ReceivedBody, leftMs?: number): void {
    const { room, refused } = entry;
    if (refused === 401) throw refusedSince();
    if (room === null || room.ttl === 0 || refused !== null || this.#entries.get(entry.name) !== entry) return;
    entry.bytes = body.length;
    room.set(entry.name, entry, { ttl: Math.min(room.ttl, leftMs ?? Infinity) });
    if (!room.has(entry.name)) return;
    const { key, identity } = sending;
    if (leftMs === undefined && room === this.#reports) this.#shared?.keep(sending, nameOf(entry.call), body);
    answer.keep(() => {
      // Another may have taken its place.
      if (room.peek(entry.name) !== entry) return;
      room.delete(entry.name);
      this.#shared?.drop({ key, identity }, nameOf(entry.call));
    });
  }

  /** Forgets what is kept for a caller whom a response refuses. */
  noteRefusal(sending: Sending, { status }: ResponseHead): void {
    if (status !== 401 && status !== 403) return;
    const { name } = sending.call.endpoint;
    this.#forget(sending.identity, status, name);
    this.#shared?.refuse(sending, status, name);
  }

  /** Forgets all answers. */
  clear(): void {
    for (const room of [this.#reports, this.#final]) room.clear();
  }

  /** The smallest answer counts as `leastBytes`. */
  #createRoom(keepMs: number, mostBytes: number, leastBytes: number): Room {
    return new LRUCache({
      maxSize: Math.max(1, mostBytes),
      sizeCalculation: ({ bytes }) => Math.max(leastBytes, bytes),
      ttl: keepMs,
      // It gives its room back then, although nobody asks for it.
      ttlAutopurge: true,
      ttlResolution: 0,
      perf: { now: () => performance.now() },
      dispose: (entry) => this.#drop(entry),
    });
  }

  #roomOf({ isFinal, endpoint }: Call<unknown>): Room | null {
    if (isFinal) return this.#final;
    return endpoint.isPagedHere === true ? this.#reports : null;
  }

  #addOwner(identity: string): Owner {
    const owner = {
      identity,
      entries: new Set<Entry<unknown>>(),
      acceptedAt: -Infinity,
      latest: null,
      sentAt: 0,
    };
    this.#owners.set(identity, owner);
    return owner;
  }

  /** After a 401 all that is the caller's, after a 403 what is of that endpoint. Whoever comes now does not wait for what is under way. */
  #forget(identity: string, status: 401 | 403, endpoint: string): void {
    for (const entry of this.#owners.get(identity)?.entries ?? []) {
      if (status === 403 && entry.call.endpoint.name !== endpoint) continue;
      if (entry.sending === null) entry.room?.delete(entry.name);
      else {
        entry.refused = status === 401 ? 401 : (entry.refused ?? 403);
        this.close(entry);
      }
    }
  }

  /** Forgets an entry that is not kept, or no longer. */
  #drop(entry: Entry<unknown>): void {
    this.close(entry);
    // Those who wait have its promise. An old table of the map keeps the entry for a while, and must not keep its body.
    entry.answer = gone;
    const { owner } = entry;
    if (owner?.entries.delete(entry) === true && owner.entries.size === 0) this.#owners.delete(owner.identity);
  }
}

const gone = undefined as never;

async function latestCallOf(owner: Owner): Promise<void> {
  // Other calls of the same moment may do.
  await nextTick();
  // A call that was sent long ago may take long.
  if (performance.now() - owner.sentAt < justNowMs) await owner.latest?.answer?.catch(() => {});
}

function nameOf({ endpoint, target }: Call<unknown>): ReportName {
  return { endpoint: endpoint.name, path: target };
}

function refusedSince(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', {
    message: 'The upstream has refused this API key while the report was being read.',
  });
}

/** A report of one caller: its endpoint, and the path and query string of its call. */
export interface ReportName {
  readonly endpoint: string;
  readonly path: string;
}

/** The reports that all replicas keep for each other. Nothing here fails: what cannot be shared is read from the API. */
export interface SharedReports {
  /** The body of a report, and for how many milliseconds it may still be kept; null where no replica keeps it. Takes fifty at most. */
  find(caller: CallerKey, name: ReportName): Promise<{ readonly body: Buffer; readonly leftMs: number } | null>;
  /** Keeps the body of a report for all replicas. */
  keep(caller: CallerKey, name: ReportName, body: ReceivedBody): void;
  /** Forgets a report that turned out to be none. */
  drop(caller: CallerKey, name: ReportName): void;
  /** Forgets the reports of a refused caller here and everywhere: after a 401 all, after a 403 those of the endpoint. */
  refuse(caller: CallerKey, status: 401 | 403, endpoint: string): void;
  /** Runs when another replica has seen a caller refused. */
  watchRefusals(run: (identity: string, status: 401 | 403, endpoint: string) => void): void;
}
