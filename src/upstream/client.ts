import { CancelSource } from '../cancellation.ts';
import { largeBody } from '../bounds.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Answer, Answers, type AnswersOptions, type Entry } from './shared-answers.ts';
import { type Call, type Caller, Sending, type Send, type Stage } from './call.ts';
import { withoutCredential } from './credential.ts';
import { ReceivedBody, type ResponseHead, type StreamedResponse, type WireResponse } from './response/wire-response.ts';
import { failureAt, readInTurn, readReport } from './response/response-reader.ts';
import type { Transport } from './transport/transport.ts';

/** Makes the calls of all callers, and reads the responses. */
export interface Client {
  /** Makes the call and leaves its response unread; throws UNAUTHENTICATED without a key, before anything is sent. */
  fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>>;
  /** The CSV report as it comes; throws what reading it would. Its reader sets the pace and must destroy what it does not read. */
  stream(call: Call<string>, caller: Caller): Promise<StreamedResponse>;
}

/** The response to a call, unread. */
export interface Fetched<Body> {
  /** Null where the response is no whole one, or a report that has been read before. */
  readonly bytes: ReceivedBody | null;
  /** The body as its endpoint reads it; throws the failure that the response stands for. */
  readonly read: () => Promise<Body>;
}

interface ClientOptions extends AnswersOptions {
  /** Counts the calls that need not be sent. */
  readonly metrics?: Pick<Metrics, 'countSharedCall' | 'countKeptReport'>;
}

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller that are under
 * way at the same time are one, read once, across requests.
 */
export class StagedClient implements Client {
  readonly answers: Answers;
  readonly #collect: Send<WireResponse>;
  readonly #stream: Send<StreamedResponse>;
  readonly #metrics: ClientOptions['metrics'];

  constructor(transport: Transport, stages: readonly Stage[], options: ClientOptions = {}) {
    this.answers = new Answers(options);
    this.#collect = staged(stages, transport.collect);
    this.#stream = staged(stages, transport.stream);
    this.#metrics = options.metrics;
  }

  async fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>> {
    const isExact = needsExact(call, caller);
    const answer = await this.#ask(call, caller, isExact);
    return { bytes: answer.bytes, read: () => answer.body(isExact) };
  }

  async stream(call: Call<string>, caller: Caller): Promise<StreamedResponse> {
    const sending = new Sending(call, caller, keyOf(caller), caller.signal, true);
    const streamed = await this.#stream(sending).catch((error: unknown) => {
      throw failureAt(call, undefined, error);
    });
    if (caller.trace !== undefined) caller.trace.status = streamed.status;
    this.answers.noteRefusal(sending, streamed);
    return readReport(streamed, call, sending.key);
  }

  /**
   * Finds an answer that is kept, joins an equal call that is under way, or makes the call. A large body is read at once, as the first who
   * asks needs it.
   */
  async #ask<Body>(call: Call<Body>, caller: Caller, isExact: boolean): Promise<Answer<Body>> {
    const key = keyOf(caller);
    const name = `${caller.identity} ${call.target}`;
    const proof = this.answers.whenProven(name);
    if (proof !== null) await proof;
    let entry = this.answers.get<Body>(name);
    if (entry?.sending === null) {
      this.#noteKept(call, caller);
      // Nobody knows any more how large it was.
      caller.noteBytes?.(largeBody);
      return entry.answer;
    }
    // No call begins for a caller who has left already.
    if (caller.signal.aborted) throw failureAt(call, undefined, caller.signal.reason);
    if (entry === undefined) {
      const sending = new Sending(call, caller, key, new CancelSource(), false);
      entry = this.answers.begin(name, call, sending);
      entry.answer = this.#make(entry, sending, isExact);
    } else {
      this.#metrics?.countSharedCall(call.endpoint.name);
      if (caller.trace !== undefined) caller.trace.origin = 'shared';
    }
    const joined = entry;
    return joined.join(call, caller, () => this.answers.close(joined));
  }

  #noteKept(call: Call<unknown>, { trace }: Caller): void {
    this.#metrics?.countKeptReport(call.endpoint.name);
    if (trace !== undefined) trace.origin = 'kept';
  }

  /** Makes a call for all who wait for it. */
  async #make<Body>(entry: Entry<Body>, sending: Sending, isExact: boolean): Promise<Answer<Body>> {
    const { call } = entry;
    const { key } = sending;
    const { answers } = this;
    let head: ResponseHead | null = null;
    try {
      const finding = answers.findShared(entry, sending);
      const found = finding === null ? null : await finding;
      const response = found === null ? await this.#collect(sending) : responseOf(call, found.body);
      sending.response = response;
      if (found === null) answers.noteRefusal(sending, (head = response));
      else this.#noteKept(call, sending.caller);
      const answer = new Answer<Body>(response, (given, exactly, signal) =>
        readInTurn(given, call, exactly, key, signal),
      );
      // A large body has its turn to be read, and is never shown from its bytes.
      const isLarge = response.body.length >= largeBody;
      if (isLarge) {
        await answer.body(isExact, sending.signal);
        response.hold?.read();
      }
      if (isLarge || answer.bytes !== null) answers.keep(entry, sending, answer, response.body, found?.leftMs);
      return answer;
    } finally {
      answers.end(entry, head);
      sending.response?.hold?.releaseLater();
    }
  }
}

/** The response that a report of another replica was. */
function responseOf({ endpoint }: Call<unknown>, body: Buffer): WireResponse {
  return { status: 200, headers: { 'content-type': endpoint.accept }, body: new ReceivedBody([body]) };
}

/** Puts the stages around the transport. */
function staged<A extends ResponseHead>(stages: readonly Stage[], send: Send<A>): Send<A> {
  return stages.reduceRight<Send<A>>((next, stage) => stage(next), send);
}

function needsExact({ endpoint }: Call<unknown>, { needsExactNumbers }: Caller): boolean {
  return endpoint.freeForm !== undefined && (needsExactNumbers?.() ?? true);
}

function keyOf(caller: Caller): string {
  if (caller.key === null) throw withoutCredential(caller);
  return caller.key;
}
