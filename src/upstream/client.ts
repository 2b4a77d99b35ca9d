import { largeBody } from '../bounds.ts';
import type { UpstreamMetrics } from '../telemetry/metrics.ts';
import { TransientMap } from '../transient-collections.ts';
import { readAnswer, SentAnswer, UnreadAnswer, type Answer } from './answer.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { withoutCredential } from './credential.ts';
import type { Read } from './endpoint.ts';
import { Flight, KeyedCall, Waiter, type Flights } from './flight.ts';
import { KeptAnswers, type KeptAnswersOptions } from './kept-answers.ts';
import type { BodyHold } from './response/body-room.ts';
import type { ReceivedBody } from './response/received-body.ts';
import { readReport, createResponseReader, failureAt, type ResponseReader } from './response/response-reader.ts';
import type { ResponseHead, StreamedResponse, WireResponse } from './response/wire-response.ts';
import type { Send, Stage } from './stages/stage.ts';
import type { Transport } from './transport/transport.ts';

/** Makes the calls of all callers, and reads the responses. */
export interface Client {
  /** Makes the call and reads its response; throws UNAUTHENTICATED without a key, before anything is sent. */
  get<Body>(call: Call<Body>, caller: Caller): Promise<Body>;
  /** Makes the call and leaves its response unread; throws as `get` does before it reads. */
  fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>>;
  /** The CSV report as it comes; throws what `get` would. Its reader sets the pace and must destroy what it does not read. */
  stream(call: Call<string>, caller: Caller): Promise<StreamedResponse>;
}

/** The response to a call, unread. */
export interface Fetched<Body> {
  /** Null where the response is no whole one, or a report that has been read before. */
  readonly bytes: ReceivedBody | null;
  /** The body as `get` reads it. */
  readonly read: () => Promise<Body>;
}

/** How the first who asks for an answer needs it. */
interface HowToRead {
  /** Whether it is read at once; otherwise only a large body is. */
  readonly isRead: boolean;
  /** Whether free-form values are read digit for digit. */
  readonly isExact: boolean;
}

export interface ClientOptions extends Omit<KeptAnswersOptions, 'metrics'> {
  /** The names that records are read by; absent: any. */
  readonly names?: ReadonlySet<string>;
  /** Counts the calls that need not be sent. */
  readonly metrics?: Pick<UpstreamMetrics, 'countSharedCall' | 'countKeptReport'>;
}

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller that are under
 * way at the same time are one, read once, across requests.
 */
export function createClient(
  transport: Transport,
  stages: readonly Stage[],
  options: ClientOptions = {},
): StagedClient {
  return new StagedClient(transport, stages, options);
}

export class StagedClient implements Client {
  readonly kept: KeptAnswers;
  readonly #collect: Send<WireResponse>;
  readonly #stream: Send<StreamedResponse>;
  readonly #reader: ResponseReader;
  readonly #metrics: ClientOptions['metrics'];
  readonly #flights: Flights = new TransientMap();

  constructor(transport: Transport, stages: readonly Stage[], options: ClientOptions) {
    this.kept = new KeptAnswers(options);
    this.#collect = staged(stages, transport.collect);
    this.#stream = staged(stages, transport.stream);
    this.#reader = createResponseReader(options.names);
    this.#metrics = options.metrics;
  }

  get<Body>(call: Call<Body>, caller: Caller): Promise<Body> {
    return new Promise((resolve, reject) => {
      const isExact = needsExact(call, caller);
      this.#ask(call, caller, { isRead: true, isExact }, (answer) => resolve(answer.body(isExact)), reject);
    });
  }

  fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>> {
    return new Promise((resolve, reject) => {
      const isExact = needsExact(call, caller);
      const use = (answer: Answer<Body>): void =>
        resolve({ bytes: answer.bytes, read: async () => answer.body(isExact) });
      this.#ask(call, caller, { isRead: false, isExact }, use, reject);
    });
  }

  async stream(call: Call<string>, caller: Caller): Promise<StreamedResponse> {
    const keyed = new KeyedCall(call, caller, keyOf(caller), caller.signal, true);
    const streamed = await this.#stream(keyed).catch((error: unknown) => {
      throw failureAt(call, undefined, error);
    });
    if (caller.trace !== undefined) caller.trace.status = streamed.status;
    this.kept.noteRefusal(keyed, streamed);
    return readReport(streamed, call, keyed.key);
  }

  /** Finds an answer that is kept, joins an equal call that is under way, or makes the call. Throws UNAUTHENTICATED without a key. */
  #ask<Body>(
    call: Call<Body>,
    caller: Caller,
    how: HowToRead,
    use: (answer: Answer<Body>) => void,
    fail: (error: unknown) => void,
    mayWait = true,
  ): void {
    const key = keyOf(caller);
    const name = `${caller.identity} ${call.target}`;
    const proof = mayWait ? this.kept.whenProven(name, call) : null;
    if (proof !== null) return void proof.then(() => this.#ask(call, caller, how, use, fail, false)).catch(fail);
    const kept = this.kept.get(name, call, caller);
    if (kept !== undefined) return use(kept);
    const waiter = new Waiter(call, caller, use, fail);
    // No call begins for a caller who has left already.
    if (caller.signal.aborted) return waiter.failed(caller.signal.reason);
    const underWay = this.#flights.get(name) as Flight<Body> | undefined;
    const flight = underWay ?? new Flight(this.#flights, name, call, caller, key);
    flight.add(waiter);
    if (underWay === undefined) return flight.land(this.#make(flight, how));
    this.#metrics?.countSharedCall(call.endpoint.name);
    if (caller.trace !== undefined) caller.trace.origin = 'shared';
    return undefined;
  }

  /** Makes a call, and reads its response, for all who wait for it. */
  async #make<Body>(flight: Flight<Body>, { isRead, isExact }: HowToRead): Promise<SentAnswer<Body>> {
    const { call, key } = flight;
    const { kept } = this;
    const reader = this.#reader;
    const ended = kept.begin(flight as never);
    let hold: BodyHold | undefined;
    let head: ResponseHead | null = null;
    try {
      const finding = kept.find(flight);
      const found = finding === null ? null : await finding;
      const response = found?.response ?? (await this.#collect(flight));
      hold = response.hold;
      if (found === null) {
        head = response;
        kept.noteRefusal(flight, head);
      }
      const answer = new SentAnswer(response, (exactly) => reader.read(response, call, readOf(call, exactly), key));
      const leftMs = found?.leftMs ?? null;
      // A large body has its turn to be read, and is never shown from its bytes.
      if (isRead || response.body.length >= largeBody) {
        const body = await reader.read(response, call, readOf(call, isExact), key, flight.signal);
        hold?.read();
        answer.set(isExact, body);
        kept.keep(flight as never, response.body, leftMs, () => readAnswer(body));
      } else if (answer.bytes !== null)
        answer.kept = kept.keep(flight as never, response.body, leftMs, () => this.#unread(flight, response));
      return answer;
    } finally {
      ended(head);
      hold?.releaseLater();
    }
  }

  /** An answer that is kept until it turns out to be none. While it is kept, nothing of the request that it came for is. */
  #unread<Body>({ name, call, key, identity }: Flight<Body>, response: WireResponse): UnreadAnswer<Body> {
    const { status, headers } = response;
    const [{ kept }, reader] = [this, this.#reader];
    const answer: UnreadAnswer<Body> = new UnreadAnswer(response.body, async (body) => {
      try {
        return await reader.read({ status, headers, body }, call, readOf(call, true), key);
      } catch (error) {
        kept.drop(name, call, { key, identity }, answer);
        throw error;
      }
    });
    return answer;
  }
}

/** Puts the stages around the transport. */
function staged<A extends ResponseHead>(stages: readonly Stage[], send: Send<A>): Send<A> {
  return stages.reduceRight<Send<A>>((next, stage) => stage(next), send);
}

function needsExact({ endpoint }: Call<unknown>, { needsExactNumbers }: Caller): boolean {
  return endpoint.readExactly !== undefined && (needsExactNumbers?.() ?? true);
}

function readOf<Body>({ endpoint: { read, readExactly = read } }: Call<Body>, isExact: boolean): Read<Body> {
  return isExact ? readExactly : read;
}

function keyOf(caller: Caller): string {
  if (caller.key === null) throw withoutCredential(caller);
  return caller.key;
}
