import { largeBody } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type { UpstreamMetrics } from '../telemetry/metrics.ts';
import { runAfter } from '../timeouts.ts';
import { UnreadAnswer, type Answer } from './answer.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { Flight, KeyedCall } from './flight.ts';
import { ReceivedBody } from './response/received-body.ts';
import type { ResponseHead, WireResponse } from './response/wire-response.ts';

/** Bytes that are kept of answers that do not change any more, for all callers together; the oldest goes first. */
const finalAnswersRoom = 16_777_216;

/** What the smallest of them counts as, in bytes, with all that is kept beside it. */
const finalAnswerBytes = 4_096;

/** Milliseconds after a call that the API has accepted, in which its caller is shown what is kept. */
const provenMs = 60_000;

/** Milliseconds for which such a caller waits for a call that is under way, rather than make another. */
const justNowMs = 50;

export interface KeptAnswersOptions {
  /** For how many milliseconds reports that callers page through are kept, and the bytes that all of them may have; 0 keeps none. */
  readonly reports?: { readonly keepMs: number; readonly mostBytes: number };
  /** For how many milliseconds answers are kept that do not change any more; 0 keeps none. */
  readonly finalMs?: number;
  /** The reports of all replicas; absent where there is one replica. */
  readonly shared?: SharedReports | undefined;
  readonly metrics?: Pick<UpstreamMetrics, 'countKeptReport'> | undefined;
  /** A clock that never jumps, in milliseconds. */
  readonly now?: () => number;
}

/** A report that another replica has read. */
interface FoundReport {
  readonly response: WireResponse;
  readonly leftMs: number;
}

/** Answers of one kind, in the order in which they were kept: the oldest goes first, however often it is asked for. */
interface Room {
  readonly keepMs: number;
  readonly mostBytes: number;
  /** What the smallest answer counts as. */
  readonly leastBytes: number;
  readonly kept: Map<string, Kept>;
  bytes: number;
}

/** One answer that is kept. */
interface Kept {
  readonly name: string;
  readonly owner: Owner;
  readonly endpoint: string;
  readonly room: Room;
  readonly answer: Answer<unknown>;
  readonly bytes: number;
  readonly until: number;
  readonly callOffTime: () => void;
}

/** A caller for whom something is kept, and the calls that show whether the API still accepts the key. */
interface Owner {
  readonly identity: string;
  readonly kept: Set<Kept>;
  acceptedAt: number;
  /** How many calls are under way, and when the last one was sent. */
  underWay: number;
  sentAt: number;
  /** Those who wait for one of them. */
  waiting: (() => void)[];
}

/**
 * Reports, for as long as somebody may be paging through them, since the API sends a report whole; and answers that do not change any
 * more, such as months that are over. A revoked key must see nothing of them: all are forgotten at the first refusal, and what is kept for
 * long is shown only within a minute of a call that the API has accepted. A name names the caller too.
 */
export class KeptAnswers {
  readonly #options: KeptAnswersOptions;
  readonly #now: () => number;
  readonly #reports: Room;
  readonly #final: Room;
  readonly #owners = new Map<string, Owner>();
  /** What is under way, and may be kept then. */
  readonly #underWay = new Set<Flight<never>>();

  constructor(options: KeptAnswersOptions) {
    const { reports = { keepMs: 0, mostBytes: 0 }, finalMs = 0, now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
    this.#reports = { ...reports, leastBytes: 0, kept: new Map(), bytes: 0 };
    const mostBytes = finalAnswersRoom;
    this.#final = { keepMs: finalMs, mostBytes, leastBytes: finalAnswerBytes, kept: new Map(), bytes: 0 };
    options.shared?.watchRefusals((identity, status, endpoint) => this.#forget(identity, status, endpoint));
  }

  /** How many reports are kept, and the bytes of their bodies. */
  get size(): { readonly count: number; readonly bytes: number } {
    return { count: this.#reports.kept.size, bytes: this.#reports.bytes };
  }

  /** An answer that came before; undefined where there is none that may be shown. */
  get<Body>(name: string, call: Call<Body>, caller: Caller): Answer<Body> | undefined {
    const kept = this.#keptAs(name, call);
    if (kept === undefined || (call.isFinal && !this.#isProven(kept.owner))) return undefined;
    if (caller.trace !== undefined) caller.trace.origin = 'kept';
    this.#options.metrics?.countKeptReport(call.endpoint.name);
    // Nobody knows any more how large it was.
    caller.noteBytes?.(largeBody);
    return kept.answer as Answer<Body>;
  }

  /**
   * Null unless an answer is kept that may not be shown yet. Otherwise resolves once a call of the caller has ended; where none has been
   * sent just now, one of those who wait is let go first, to make its call.
   */
  whenProven(name: string, call: Call<unknown>): Promise<void> | null {
    const owner = call.isFinal ? this.#keptAs(name, call)?.owner : undefined;
    if (owner === undefined || this.#isProven(owner)) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (owner.waiting.push(resolve) === 1) setImmediate(() => this.#letOneGo(owner));
    return promise;
  }

  /** Notes that a call is sent; the function that is returned notes its response, if it has one. */
  begin(flight: Flight<never>): (response: ResponseHead | null) => void {
    if (this.#roomOf(flight.call) !== null) this.#underWay.add(flight);
    const owner = this.#owners.get(flight.identity);
    if (owner !== undefined) {
      owner.underWay += 1;
      owner.sentAt = this.#now();
    }
    return (response) => {
      this.#underWay.delete(flight);
      if (owner === undefined) return;
      owner.underWay -= 1;
      if (response !== null && response.status >= 200 && response.status < 300) owner.acceptedAt = this.#now();
      letGo(owner);
    };
  }

  /** Looks for a report that another replica keeps, as the response that it was, and for how long; null where none can be. */
  find(flight: KeyedCall<unknown>): Promise<FoundReport | null> | null {
    const { isFinal, endpoint } = flight.call;
    const { shared } = this.#options;
    return shared === undefined || isFinal || endpoint.isPagedHere !== true ? null : this.#findIn(shared, flight);
  }

  async #findIn(shared: SharedReports, flight: KeyedCall<unknown>): Promise<FoundReport | null> {
    const { name: endpoint, accept } = flight.call.endpoint;
    const found = await shared.find(flight, { endpoint, path: flight.path });
    if (found === null) return null;
    if (flight.caller.trace !== undefined) flight.caller.trace.origin = 'kept';
    this.#options.metrics?.countKeptReport(endpoint);
    const body = new ReceivedBody([found.body]);
    return { response: { status: 200, headers: { 'content-type': accept }, body }, leftMs: found.leftMs };
  }

  /**
   * Keeps an answer if it may be kept, for less than all answers where another replica has left `leftMs` of its time; null where it is not
   * kept. Throws UNAUTHENTICATED where its caller has been refused since the call began.
   */
  keep<Kind extends Answer<unknown>>(
    flight: Flight<never>,
    body: ReceivedBody,
    leftMs: number | null,
    answerOf: () => Kind,
  ): Kind | null {
    if (flight.refused === 'the key') throw refusedSince();
    const { name, call, identity } = flight;
    const room = this.#roomOf(call);
    const bytes = Math.max(body.length, room?.leastBytes ?? 0);
    if (room === null || flight.refused !== 'nothing' || room.keepMs === 0 || bytes > room.mostBytes) return null;
    this.#remove(room.kept.get(name));
    for (const oldest of room.kept.values()) {
      if (room.bytes + bytes <= room.mostBytes) break;
      this.#remove(oldest);
    }
    const owner = this.#ownerOf(identity);
    if (call.isFinal) owner.acceptedAt = this.#now();
    const keptMs = Math.min(room.keepMs, leftMs ?? Infinity);
    const until = this.#now() + keptMs;
    const answer = answerOf();
    // It gives its room back then, although nobody asks for it.
    const callOffTime = runAfter(keptMs, () => this.#remove(kept));
    const kept: Kept = { name, owner, endpoint: call.endpoint.name, room, answer, bytes, until, callOffTime };
    room.kept.set(name, kept);
    room.bytes += bytes;
    owner.kept.add(kept);
    if (leftMs === null && !call.isFinal)
      this.#options.shared?.keep(flight, { endpoint: kept.endpoint, path: call.target }, body);
    return answer;
  }

  /** Forgets an answer that turned out to be none, unless another has taken its place. */
  drop(name: string, call: Call<unknown>, caller: ReportCaller, answer: Answer<unknown>): void {
    const kept = this.#roomOf(call)?.kept.get(name);
    if (kept !== undefined && kept.answer !== answer) return;
    this.#remove(kept);
    this.#options.shared?.drop(caller, { endpoint: call.endpoint.name, path: call.target });
  }

  /** Forgets what is kept for a caller whom a response refuses. */
  noteRefusal(call: KeyedCall<unknown>, { status }: ResponseHead): void {
    if (status !== 401 && status !== 403) return;
    const { name } = call.call.endpoint;
    this.#forget(call.identity, status, name);
    this.#options.shared?.refuse(call, status, name);
  }

  /** Forgets all answers. */
  clear(): void {
    for (const { kept } of [this.#reports, this.#final]) for (const each of kept.values()) this.#remove(each);
  }

  #roomOf({ isFinal, endpoint }: Call<unknown>): Room | null {
    if (isFinal) return this.#final;
    return endpoint.isPagedHere === true ? this.#reports : null;
  }

  #keptAs(name: string, call: Call<unknown>): Kept | undefined {
    const kept = this.#roomOf(call)?.kept.get(name);
    return kept !== undefined && this.#now() < kept.until ? kept : undefined;
  }

  #ownerOf(identity: string): Owner {
    const known = this.#owners.get(identity);
    if (known !== undefined) return known;
    const owner = {
      identity,
      kept: new Set<Kept>(),
      acceptedAt: -Infinity,
      underWay: 0,
      sentAt: -Infinity,
      waiting: [],
    };
    this.#owners.set(identity, owner);
    return owner;
  }

  #isProven({ acceptedAt }: Owner): boolean {
    return this.#now() - acceptedAt < provenMs;
  }

  /** Where that one makes no call, the next does. A call that was sent long ago may take long. */
  #letOneGo(owner: Owner): void {
    const isSent = owner.underWay > 0 && this.#now() - owner.sentAt < justNowMs;
    if (isSent || owner.waiting.length === 0) return;
    owner.waiting.shift()?.();
    setImmediate(() => this.#letOneGo(owner));
  }

  /** After a 401 all that is the caller's, after a 403 what is of that endpoint. Whoever comes now does not wait for what is under way. */
  #forget(identity: string, status: 401 | 403, endpoint: string): void {
    const isMeant = (name: string): boolean => status === 401 || name === endpoint;
    for (const kept of this.#owners.get(identity)?.kept ?? []) if (isMeant(kept.endpoint)) this.#remove(kept);
    for (const flight of this.#underWay) {
      if (flight.identity !== identity || !isMeant(flight.call.endpoint.name)) continue;
      if (status === 401) flight.refused = 'the key';
      else if (flight.refused === 'nothing') flight.refused = 'the endpoint';
      flight.close();
    }
  }

  #remove(kept: Kept | undefined): void {
    if (kept === undefined || !kept.owner.kept.delete(kept)) return;
    const { name, owner, room, answer, callOffTime, bytes } = kept;
    room.kept.delete(name);
    room.bytes -= bytes;
    callOffTime();
    if (owner.kept.size === 0) {
      this.#owners.delete(owner.identity);
      letGo(owner);
    }
    if (answer instanceof UnreadAnswer) answer.forget();
  }
}

function letGo({ waiting }: Owner): void {
  for (const release of waiting.splice(0)) release();
}

function refusedSince(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', {
    message: 'The upstream has refused this API key while the report was being read.',
  });
}

/** The caller of a report: the key opens it, the identity names the caller in this process. */
export interface ReportCaller {
  readonly key: string;
  readonly identity: string;
}

/** A report of one caller: its endpoint, and the path and query string of its call. */
export interface ReportName {
  readonly endpoint: string;
  readonly path: string;
}

/** The reports that all replicas keep for each other. Nothing here fails: what cannot be shared is read from the API. */
export interface SharedReports {
  /** The body of a report, and for how many milliseconds it may still be kept; null where no replica keeps it. Takes fifty at most. */
  find(caller: ReportCaller, name: ReportName): Promise<{ readonly body: Buffer; readonly leftMs: number } | null>;
  /** Keeps the body of a report for all replicas. */
  keep(caller: ReportCaller, name: ReportName, body: ReceivedBody): void;
  /** Forgets a report that turned out to be none. */
  drop(caller: ReportCaller, name: ReportName): void;
  /** Forgets the reports of a refused caller here and everywhere: after a 401 all, after a 403 those of the endpoint. */
  refuse(caller: ReportCaller, status: 401 | 403, endpoint: string): void;
  /** Runs when another replica has seen a caller refused. */
  watchRefusals(run: (identity: string, status: 401 | 403, endpoint: string) => void): void;
}
