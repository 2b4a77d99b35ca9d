import { GatewayError } from '../errors.ts';
import type { Arrivals } from './arrivals.ts';
import type { DeliveryEvent } from './delivery-event.ts';

type Result = IteratorResult<DeliveryEvent, undefined>;

const done: Result = { done: true, value: undefined };

/** Deliveries for one reader, who takes them at their own pace. */
export class DeliveryQueue implements AsyncIterableIterator<DeliveryEvent, undefined> {
  readonly #most: number;
  readonly #whenEnded: () => void;
  readonly #readers: ((result: Result) => void)[] = [];
  /** In the batches in which they came, since a thousand readers share one batch. */
  #batches: (Arrivals | readonly Error[])[] = [];
  /** How many events are waiting in all batches. */
  #length = 0;
  /** How many events of the first batch have been taken. */
  #taken = 0;
  #isEnded = false;

  /**
   * `most` deliveries may wait while more come. The size of one batch is not bounded: a reader who has taken the former ones
   * gets it. `whenEnded` runs once, as soon as no more deliveries will come.
   */
  constructor(most: number, whenEnded: () => void) {
    this.#most = most;
    this.#whenEnded = whenEnded;
  }

  /** Adds deliveries; ends the queue instead where the reader is too far behind. */
  push(arrivals: Arrivals): void {
    if (this.#isEnded) return;
    if (this.#length > this.#most) {
      this.#clear();
      this.end(tooSlow(this.#most));
      return;
    }
    this.#add(arrivals);
    this.#serveReaders();
  }

  /** Ends the queue, with a failure as its last event where one is given. What is waiting can still be read. */
  end(failure?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (failure !== undefined) this.#add([failure]);
    this.#serveReaders();
    this.#whenEnded();
  }

  next(): Promise<Result> {
    return new Promise((resolve) => {
      this.#readers.push(resolve);
      this.#serveReaders();
    });
  }

  return(): Promise<Result> {
    this.#clear();
    this.end();
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #add(batch: Arrivals | readonly Error[]): void {
    if (batch.length === 0) return;
    this.#batches.push(batch);
    this.#length += batch.length;
  }

  #clear(): void {
    this.#batches = [];
    this.#length = 0;
    this.#taken = 0;
  }

  #serveReaders(): void {
    const served = this.#isEnded ? this.#readers.length : Math.min(this.#readers.length, this.#length);
    for (const resolve of this.#readers.splice(0, served)) resolve(this.#take());
  }

  #take(): Result {
    const [batch] = this.#batches;
    const value = batch?.at(this.#taken);
    if (batch === undefined || value === undefined) return done;
    this.#length -= 1;
    this.#taken += 1;
    if (this.#taken === batch.length) {
      this.#batches.shift();
      this.#taken = 0;
    }
    return { done: false, value };
  }
}

function tooSlow(most: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `More than ${most} deliveries were waiting to be read when more came. Read faster, or narrow the filter, and subscribe again.`,
  });
}
