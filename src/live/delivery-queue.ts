import { GatewayError } from '../errors.ts';
import type { Arrivals } from './arrivals.ts';
import type { DeliveryEvent } from './delivery-event.ts';

/** Deliveries for one reader, who takes them at a pace of their own. */
export interface DeliveryQueue extends AsyncIterableIterator<DeliveryEvent, undefined> {
  /** Adds deliveries; ends the queue instead where the reader is too far behind. */
  push(arrivals: Arrivals): void;
  /** No more will come; with an error as the last event where one is given. What is waiting can still be read then. */
  end(failure?: Error): void;
  return(): Promise<IteratorResult<DeliveryEvent, undefined>>;
}

type Result = IteratorResult<DeliveryEvent, undefined>;

const done: Result = { done: true, value: undefined };

/**
 * A queue that `most` deliveries may wait in while more come: however many come at once, who has taken the former ones gets
 * them. `whenEnded` runs once, as soon as no more will come.
 */
export function createDeliveryQueue(most: number, whenEnded: () => void): DeliveryQueue {
  // As they came, since a thousand readers share them.
  let waiting: (Arrivals | readonly Error[])[] = [];
  let length = 0;
  /** How many of the first of them have been taken. */
  let taken = 0;
  const readers: ((result: Result) => void)[] = [];
  let isEnded = false;

  function add(events: Arrivals | readonly Error[]): void {
    if (events.length === 0) return;
    waiting.push(events);
    length += events.length;
  }

  function take(): Result {
    const [events] = waiting;
    const value = events?.at(taken);
    if (events === undefined || value === undefined) return done;
    length -= 1;
    taken += 1;
    if (taken === events.length) {
      waiting.shift();
      taken = 0;
    }
    return { done: false, value };
  }

  function forget(): void {
    waiting = [];
    length = 0;
    taken = 0;
  }

  function settle(): void {
    const served = isEnded ? readers.length : Math.min(readers.length, length);
    for (const read of readers.splice(0, served)) read(take());
  }

  function end(failure?: Error): void {
    if (isEnded) return;
    isEnded = true;
    if (failure !== undefined) add([failure]);
    settle();
    whenEnded();
  }

  const queue: DeliveryQueue = {
    push(arrivals) {
      if (isEnded) return;
      if (length > most) {
        forget();
        end(tooSlow(most));
        return;
      }
      add(arrivals);
      settle();
    },
    end,
    next: () =>
      new Promise((resolve) => {
        readers.push(resolve);
        settle();
      }),
    return() {
      forget();
      end();
      return Promise.resolve(done);
    },
    [Symbol.asyncIterator]: () => queue,
  };
  return queue;
}

function tooSlow(most: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `More than ${most} deliveries were waiting to be read when more came. Read faster, or narrow the filter, and subscribe again.`,
  });
}
