import { bodyInTurn, sliceMs } from '../../../bounds.ts';
import type { HowToLoad, Loaders } from '../../../lists/loaders.ts';
import type { Arguments } from '../../../upstream/arguments.ts';
import type { PageRequest } from '../../../upstream/call.ts';
import type { Endpoint, ListEndpoint } from '../../../upstream/endpoint.ts';
import type { ReceivedBody } from '../../../upstream/response/received-body.ts';
import type { AnswerBuffers } from '../answer-buffers.ts';
import type { Run } from '../plan/run.ts';
import type { ByteField } from './byte-field.ts';
import { firstRowOf } from './first-row.ts';
import { GaveUp, transcribe, type TranscriptRequest } from './transcript.ts';
import { Turns } from './turns.ts';

// Those of all requests.
const turns = new Turns(sliceMs);

/** Loaders that hand a field what the transcoder makes of its endpoint's bodies. They throw `GaveUp` for whatever it cannot tell. */
export class TranscribingLoaders implements Loaders {
  readonly #loaders: Loaders;
  readonly #field: ByteField;
  readonly #request: TranscriptRequest;
  readonly #buffers: AnswerBuffers;

  constructor(loaders: Loaders, field: ByteField, run: Run, buffers: AnswerBuffers) {
    this.#loaders = loaders;
    this.#field = field;
    this.#request = field.requestFor(run);
    this.#buffers = buffers;
  }

  get refusal(): Loaders['refusal'] {
    return this.#loaders.refusal;
  }

  load<Body>(endpoint: Endpoint<Body>, args: Arguments, page?: PageRequest, how?: HowToLoad): Promise<Body> {
    try {
      if (endpoint !== this.#field.endpoint || how?.fresh === true) throw new GaveUp('rows');
      const fetched = this.#loaders.loadBytes(endpoint, args, page, how);
      if (fetched === null) throw new GaveUp('response');
      return fetched.then(({ bytes }) => this.#show(bytes, endpoint, args) as Body | Promise<Body>);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #show(bytes: ReceivedBody | null, endpoint: Endpoint<unknown>, args: Arguments): unknown {
    if (bytes === null) throw new GaveUp('response');
    // A filter that the upstream ignores shows in the rows. As a rule the first one shows that it was not ignored.
    const check = endpoint.violationCheckFor?.(args) ?? null;
    if (check !== null && !check.isClearedBy(firstRowOf(bytes))) throw new GaveUp('rows');
    const show = (): unknown => this.#field.bodyOf(transcribe(bytes, this.#request, this.#buffers));
    return bytes.length < bodyInTurn ? show() : turns.take(show);
  }

  loadBytes<Body>(endpoint: Endpoint<Body>, args: Arguments, page?: PageRequest, how?: HowToLoad) {
    return this.#loaders.loadBytes(endpoint, args, page, how);
  }

  once<Value>(key: string, read: () => Promise<Value>): Promise<Value> {
    return this.#loaders.once(key, read);
  }

  /** The plan meets what contradicts itself as well, and counts it. */
  noteViolation(): never {
    throw new GaveUp('rows');
  }

  rowsOf<Row>(endpoint: ListEndpoint<Row>): Promise<readonly (Row | null)[]> {
    return this.#loaders.rowsOf(endpoint);
  }
}
