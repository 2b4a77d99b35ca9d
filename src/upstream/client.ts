import { setImmediate as nextTick } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { BodyChunks } from '../body-chunks.ts';
import { largeBody } from '../bounds.ts';
import { CancelSource, type CancelSignal } from '../cancellation.ts';
import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { CallerKey } from './credential.ts';
import { TransientMap } from './transient-map.ts';
import { type Call, type Caller, type Fetched, Sending, type Send, type Stage } from './call.ts';
import type { ResponseHead, StreamedResponse, WireResponse } from './response/wire-response.ts';
import { failureAt, failureFor, isReadable, readInTurn, readReport } from './response/response-reader.ts';
import type { Transport } from './transport/transport.ts';

/** Makes the calls of all callers, and reads the responses. */
export interface Client {
  /** Makes the call and leaves its response unread; throws UNAUTHENTICATED without a key, before anything is sent. */
  fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>>;
  /** The CSV report as it comes; throws what reading it would. Its reader sets the pace and must destroy what it does not read. */
  stream(call: Call<string>, caller: Caller): Promise<StreamedResponse>;
}

/** Bytes that are kept of answers that do not change any more, for all callers together; the oldest goes first. */
const finalAnswersRoom = 16_777_216;

/** What the smallest of them counts as, in bytes, with all that is kept beside it. */
const finalAnswerBytes = 4_096;

/** Milliseconds after a call that the API has accepted, in which its caller is shown what is kept. */
const provenMs = 60_000;

/** Milliseconds for which such a caller waits for a call that is under way, rather than make another. */
const justNowMs = 50;

/** Stands for an answer that nobody may ask for any more. */
const gone = undefined as never;

/** What came for a call. */
class Answer<Body> implements Fetched<Body> {
  readonly #call: Call<Body>;
  readonly #key: string;
  #response: WireResponse | null;
  #body: Promise<Body> | undefined;
  #drop: (() => void) | null = null;

  constructor(response: WireResponse, { call, key }: { readonly call: Call<Body>; readonly key: string }) {
    this.#response = response;
    this.#call = call;
    this.#key = key;
  }

  get bytes(): BodyChunks | null {
    return this.#response?.body ?? null;
  }

  read(signal?: CancelSignal): Promise<Body> {
    if (this.#body === undefined) {
      this.#body = readInTurn(this.#response as WireResponse, this.#call, this.#key, signal);
      if (this.#drop !== null) {
        this.#response = null;
        this.#body.catch(this.#drop);
      }
    }
    return this.#body;
  }

  /** Keeps what was read of it, or else its bytes, in memory of their own. `drop` runs if it turns out to be no answer. */
  keep(drop: () => void): void {
    this.#drop = drop;
    const { status, headers, body } = this.#response as WireResponse;
    this.#response = this.#body === undefined ? { status, headers, body: new BodyChunks(body.copy()) } : null;
  }

  forget(): void {
    this.#drop?.();
  }
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
interface Entry<Body> {
  /** Names the caller too. */
  readonly name: string;
  readonly call: Call<Body>;
  /** Null where its answer is not to be kept. */
  readonly room: Room | null;
  readonly owner: Owner | null;
  /** Null once it is answered: nothing is kept of the request that it was for. */
  sending: Sending | null;
  answer: Promise<Answer<Body>>;
  /** Whether the API has refused its caller's key since it began. */
  isRefused: boolean;
  /** How many wait for the answer. */
  waiting: number;
}

/** Whether an answer is kept that may not be shown before the API has accepted another call. */
function isUnproven({ call, sending, owner }: Entry<unknown>): boolean {
  return call.isFinal && sending === null && owner !== null && performance.now() - owner.acceptedAt >= provenMs;
}

export interface ClientOptions extends Partial<Pick<Config, 'reportCacheMs' | 'reportCacheBytes' | 'historyCacheMs'>> {
  /** The reports of all replicas; absent where there is one replica. */
  readonly shared?: SharedReports | undefined;
  /** Counts the calls that need not be sent. */
  readonly metrics?: Pick<Metrics, 'countSharedCall' | 'countKeptReport'>;
}

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller that are under
 * way at the same time are one, read once, across requests.
 *
 * Some answers linger: reports, for as long as somebody may be paging through them, since the API sends a report whole, and answers that
 * do not change any more, such as months that are over. A revoked key must see nothing of them: all are forgotten at the first refusal, and
 * what is kept for long is shown only within a minute of a call that the API has accepted.
 */
export class StagedClient implements Client {
  readonly #send: Send<WireResponse>;
  readonly #stream: Send<StreamedResponse>;
  readonly #entries = new TransientMap<string, Entry<unknown>>();
  readonly #owners = new Map<string, Owner>();
  readonly #reports: Room;
  readonly #final: Room;
  readonly #shared: SharedReports | undefined;
  readonly #metrics: ClientOptions['metrics'];

  constructor(transport: Transport, stages: readonly Stage[], options: ClientOptions = {}) {
    const { reportCacheMs = 0, reportCacheBytes = 0, historyCacheMs = 0, shared, metrics } = options;
    this.#send = staged(stages, transport.collect);
    this.#stream = staged(stages, transport.stream);
    this.#reports = this.#createRoom(reportCacheMs, reportCacheBytes);
    this.#final = this.#createRoom(historyCacheMs, finalAnswersRoom);
    this.#shared = shared;
    this.#metrics = metrics;
    shared?.watchRefusals((identity, status, endpoint) => this.#forget(identity, status, endpoint));
  }

  /** How many reports are kept, and the bytes of their bodies. */
  get keptReports(): { readonly count: number; readonly bytes: number } {
    return { count: this.#reports.size, bytes: this.#reports.calculatedSize };
  }

  /**
   * Finds an answer that is kept, joins an equal call that is under way, or makes the call. A large body is read at once, as the first who
   * asks needs it.
   */
  async fetch<Body>(call: Call<Body>, caller: Caller): Promise<Answer<Body>> {
    const name = `${caller.identity} ${call.target}`;
    let found = this.#entries.get(name) as Entry<Body> | undefined;
    if (found !== undefined && isUnproven(found)) {
      await latestCallOf(found.owner as Owner);
      found = this.#entries.get(name) as Entry<Body> | undefined;
    }
    if (found?.sending === null && !isUnproven(found)) {
      this.#noteKept(call, caller);
      // Nobody knows any more how large it was.
      if (caller.operation !== undefined) caller.operation.bytesRead += largeBody;
      return found.answer;
    }
    // No call begins for a caller who has left already.
    if (caller.signal.aborted) throw failureAt(call, undefined, caller.signal.reason);
    if (found?.sending == null) return this.#begin(name, call, caller);
    this.#metrics?.countSharedCall(call.endpoint.name);
    if (caller.trace !== undefined) caller.trace.origin = 'shared';
    return this.#join(found, found.sending, call, caller);
  }

  async stream(call: Call<string>, caller: Caller): Promise<StreamedResponse> {
    const sending = new Sending(call, caller, caller.signal, true);
    try {
      const streamed = await this.#stream(sending);
      this.#learn(sending, streamed);
      return await readReport(streamed, call, sending.key);
    } catch (error) {
      throw failureFor(call, failureAt(call, undefined, error));
    }
  }

  /** Begins a call in the place of its name. */
  #begin<Body>(name: string, call: Call<Body>, caller: Caller): Promise<Answer<Body>> {
    const sending = new Sending(call, caller, new CancelSource(), false);
    this.#entries.get(name)?.room?.delete(name);
    const { identity } = caller;
    const room = this.#roomOf(call);
    const owner = this.#owners.get(identity) ?? (room && this.#addOwner(identity));
    const entry: Entry<Body> = { name, call, room, owner, sending, answer: gone, isRefused: false, waiting: 0 };
    this.#entries.set(name, entry);
    if (owner !== null) {
      if (room !== null) owner.entries.add(entry);
      owner.latest = entry;
      owner.sentAt = performance.now();
    }
    entry.answer = this.#make(entry, sending);
    return this.#join(entry, sending, call, caller);
  }

  /**
   * Waits for the answer as long as a caller does; one with more time gives the call more time. When the last one has left, the call
   * ends. A failure of the wire gets the name of its endpoint.
   */
  #join<Body>(entry: Entry<Body>, sending: Sending, call: Call<Body>, caller: Caller): Promise<Answer<Body>> {
    const { signal } = caller;
    sending.deadline = Math.max(sending.deadline, caller.deadline);
    entry.waiting++;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(failureAt(call, undefined, error));
      const leave = (): void => {
        signal.removeEventListener('abort', leave);
        fail(signal.reason);
        if (--entry.waiting > 0) return;
        this.#close(entry);
        (sending.signal as CancelSource).abort(signal.reason);
      };
      const settle = (hasFailed: boolean, tell: () => void): void => {
        signal.removeEventListener('abort', leave);
        sending.noteFor(caller, hasFailed);
        tell();
      };
      signal.addEventListener('abort', leave);
      entry.answer.then(
        (answer) => settle(false, () => resolve(answer)),
        (error: unknown) => settle(true, () => fail(error)),
      );
    });
  }

  /** Makes a call for all who wait for it. */
  async #make<Body>(entry: Entry<Body>, sending: Sending): Promise<Answer<Body>> {
    const { call, room } = entry;
    try {
      const finding = room === this.#reports ? this.#shared?.find(sending, call) : undefined;
      const found = finding === undefined ? null : await finding;
      const response =
        found === null
          ? await this.#send(sending)
          : { status: 200, headers: { 'content-type': call.endpoint.accept }, body: new BodyChunks(found.body) };
      sending.response = response;
      if (found === null) this.#learn(sending, response);
      else this.#noteKept(call, sending.caller);
      const answer = new Answer(response, { call, key: sending.key });
      // A large body has its turn to be read, and is never shown from its bytes. A failure is none that anybody reads.
      if (response.body.length >= largeBody || !isReadable(response)) {
        await answer.read(sending.signal);
        response.hold?.read();
      }
      this.#keep(entry, sending, answer, response.body, found?.leftMs);
      return answer;
    } finally {
      entry.sending = null;
      if (room?.peek(entry.name) !== entry) this.#drop(entry);
      const hold = sending.response?.hold;
      // Those who wait for it run before, and hold it for themselves.
      if (hold !== undefined) setImmediate(() => hold.release());
    }
  }

  /**
   * Keeps an answer if it may be kept, for less than all answers where another replica has left `leftMs` of its time. Throws
   * UNAUTHENTICATED where its caller has been refused since the call began.
   */
  #keep(entry: Entry<unknown>, sending: Sending, answer: Answer<unknown>, body: BodyChunks, leftMs?: number): void {
    const { room, name } = entry;
    if (entry.isRefused)
      throw new GatewayError('UNAUTHENTICATED', {
        message: 'The upstream has refused this API key while the report was being read.',
      });
    if (room === null || room.ttl === 0 || this.#entries.get(name) !== entry) return;
    const size = Math.max(room === this.#final ? finalAnswerBytes : 1, body.length);
    room.set(name, entry, { size, ttl: Math.min(room.ttl, leftMs ?? Infinity) });
    if (!room.has(name)) return;
    const { key, identity } = sending;
    // Another may have taken its place.
    const isStillKept = (): boolean => room.peek(name) === entry;
    if (leftMs === undefined && room === this.#reports)
      this.#shared?.keep({ key, identity }, entry.call, body, isStillKept);
    answer.keep(() => {
      if (!isStillKept()) return;
      room.delete(name);
      this.#shared?.drop({ key, identity }, entry.call);
    });
  }

  #noteKept({ endpoint }: Call<unknown>, { trace }: Caller): void {
    this.#metrics?.countKeptReport(endpoint.name);
    if (trace !== undefined) trace.origin = 'kept';
  }

  /** Learns from a response whether the API accepts the key of a caller: what is kept for one whom it refuses is forgotten. */
  #learn(sending: Sending, { status }: ResponseHead): void {
    const { identity, call } = sending;
    const owner = this.#owners.get(identity);
    if (owner !== undefined && status >= 200 && status < 300) owner.acceptedAt = performance.now();
    if (status !== 401 && status !== 403) return;
    this.#forget(identity, status, call.endpoint.name);
    this.#shared?.refuse(sending, status, call.endpoint.name);
  }

  /** After a 401 all that is the caller's, after a 403 what is of that endpoint. Whoever comes now does not wait for what is under way. */
  #forget(identity: string, status: 401 | 403, endpoint: string): void {
    for (const entry of this.#owners.get(identity)?.entries ?? []) {
      if (status === 403 && entry.call.endpoint.name !== endpoint) continue;
      if (entry.sending === null) entry.room?.delete(entry.name);
      else {
        entry.isRefused ||= status === 401;
        this.#close(entry);
      }
    }
  }

  /** Forgets all answers that are kept. */
  forgetKept(): void {
    for (const room of [this.#reports, this.#final]) room.clear();
  }

  #createRoom(keepMs: number, mostBytes: number): Room {
    return new LRUCache({
      maxSize: Math.max(1, mostBytes),
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
    const owner = { identity, entries: new Set<Entry<unknown>>(), acceptedAt: -Infinity, latest: null, sentAt: 0 };
    this.#owners.set(identity, owner);
    return owner;
  }

  /** Closes a call to those who come now; those who wait for it still do. */
  #close(entry: Entry<unknown>): void {
    if (this.#entries.get(entry.name) === entry) this.#entries.delete(entry.name);
  }

  /** Forgets an entry that is not kept, or no longer. */
  #drop(entry: Entry<unknown>): void {
    this.#close(entry);
    // Those who wait have its promise. An old table of the map keeps the entry for a while, and must not keep its body.
    entry.answer = gone;
    const { owner } = entry;
    if (owner?.entries.delete(entry) === true && owner.entries.size === 0) this.#owners.delete(owner.identity);
  }
}

/** Puts the stages around the transport. */
function staged<A extends ResponseHead>(stages: readonly Stage[], send: Send<A>): Send<A> {
  return stages.reduceRight<Send<A>>((next, stage) => stage(next), send);
}

async function latestCallOf(owner: Owner): Promise<void> {
  // Other calls of the same moment may do.
  await nextTick();
  // A call that was sent long ago may take long.
  if (performance.now() - owner.sentAt < justNowMs) await owner.latest?.answer?.catch(() => {});
}

/** The reports that all replicas keep for each other. Nothing here fails: what cannot be shared is read from the API. */
export interface SharedReports {
  /** The body of a report, and for how many milliseconds it may still be kept; null where no replica keeps it. Takes fifty at most. */
  find(caller: CallerKey, call: Call<unknown>): Promise<{ readonly body: Buffer; readonly leftMs: number } | null>;
  /** Keeps the body of a report for all replicas, if this one still does when it is packed. */
  keep(caller: CallerKey, call: Call<unknown>, body: BodyChunks, isStillKept: () => boolean): void;
  /** Forgets a report that turned out to be none. */
  drop(caller: CallerKey, call: Call<unknown>): void;
  /**
   * Tells all replicas to forget what they keep of a refused caller: after a 401 all, after a 403 what is of the endpoint. All reports of
   * the caller leave the store.
   */
  refuse(caller: CallerKey, status: 401 | 403, endpoint: string): void;
  /** Runs when another replica has seen a caller refused. */
  watchRefusals(run: (identity: string, status: 401 | 403, endpoint: string) => void): void;
}
