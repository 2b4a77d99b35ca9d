import { GatewayError } from '../errors.ts';
import type { Arrival, DeliveryEvent } from './delivery-event.ts';

/** Deliveries for one reader, who takes them at a pace of their own. */
export interface DeliveryQueue extends AsyncIterableIterator<DeliveryEvent, undefined> {
  /** Adds deliveries; ends the queue instead where the reader is too far behind. */
  push(arrivals: readonly Arrival[]): void;
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
  let waiting: DeliveryEvent[] = [];
  const readers: ((result: Result) => void)[] = [];
  let isEnded = false;

  function settle(): void {
    const served = isEnded ? readers.length : Math.min(readers.length, waiting.length);
    for (const read of readers.splice(0, served)) {
      const value = waiting.shift();
      read(value === undefined ? done : { done: false, value });
    }
  }

  function end(failure?: Error): void {
    if (isEnded) return;
    isEnded = true;
    if (failure !== undefined) waiting.push(failure);
    settle();
    whenEnded();
  }

  const queue: DeliveryQueue = {
    push(arrivals) {
      if (isEnded) return;
      if (waiting.length > most) {
        waiting = [];
        end(tooSlow(most));
        return;
      }
      waiting = [...waiting, ...arrivals];
      settle();
    },
    end,
    next: () =>
      new Promise((resolve) => {
        readers.push(resolve);
        settle();
      }),
    return() {
      waiting = [];
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
