import type { BodyChunks } from '../body-chunks.ts';
import { Answers, type AnswersOptions } from './shared-answers.ts';
import { type Call, type Caller, Sending, type Send, type Stage } from './call.ts';
import { withoutCredential } from './credential.ts';
import type { ResponseHead, StreamedResponse } from './response/wire-response.ts';
import { failureAt, failureFor, readReport } from './response/response-reader.ts';
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
  readonly bytes: BodyChunks | null;
  /** The body as its endpoint reads it; throws the failure that the response stands for. */
  readonly read: () => Promise<Body>;
  /** Has it asked for again, where it is kept: its reader has found it wrong. */
  readonly forget: () => void;
}

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller that are under
 * way at the same time are one, read once, across requests.
 */
export class StagedClient implements Client {
  readonly answers: Answers;
  readonly #stream: Send<StreamedResponse>;

  constructor(transport: Transport, stages: readonly Stage[], options: AnswersOptions = {}) {
    this.answers = new Answers(staged(stages, transport.collect), options);
    this.#stream = staged(stages, transport.stream);
  }

  async fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>> {
    const isExact = needsExact(call, caller);
    const answer = await this.answers.of(call, caller, keyOf(caller), isExact);
    return { bytes: answer.bytes, read: () => answer.body(isExact), forget: () => answer.forget() };
  }

  async stream(call: Call<string>, caller: Caller): Promise<StreamedResponse> {
    const sending = new Sending(call, caller, keyOf(caller), caller.signal, true);
    try {
      const streamed = await this.#stream(sending);
      if (caller.trace !== undefined) caller.trace.status = streamed.status;
      this.answers.learn(sending, streamed);
      return await readReport(streamed, call, sending.key);
    } catch (error) {
      throw failureFor(call, failureAt(call, undefined, error));
    }
  }
}

/** Puts the stages around the transport. */
function staged<A extends ResponseHead>(stages: readonly Stage[], send: Send<A>): Send<A> {
  return stages.reduceRight<Send<A>>((next, stage) => stage(next), send);
}

function needsExact({ endpoint }: Call<unknown>, { operation }: Caller): boolean {
  return endpoint.freeForm !== undefined && (operation?.needsExactNumbers ?? true);
}

function keyOf(caller: Caller): string {
  if (caller.key === null) throw withoutCredential(caller);
  return caller.key;
}
