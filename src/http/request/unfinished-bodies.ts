import { bodiesUnderWay, smallBody } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { Linked, LinkedSet } from '../../linked-set.ts';

/** A body that has begun to come and has not ended. */
export abstract class UnfinishedBody extends Linked {
  /** When it began, by performance.now() in milliseconds. */
  readonly since = performance.now();
  /** Bytes that have come. */
  held = 0;
  /** Ends the body with an error. */
  abstract giveUp(error: GatewayError): void;
}

// An honest body has ended by then.
const longestWaitMs = 2_000;

/** All bodies that have begun to come and have not ended. They hold `bodiesUnderWay` bytes together at most. */
export class UnfinishedBodies {
  readonly #bodies = new LinkedSet<UnfinishedBody>();
  #total = 0;

  /** Begins a body, which is empty until it grows. */
  begin(body: UnfinishedBody): void {
    this.#bodies.add(body);
  }

  /** Counts bytes of a body that have come. */
  grow(body: UnfinishedBody, bytes: number): void {
    body.held += bytes;
    this.#total += bytes;
  }

  /** Forgets a body; false where it had ended before. */
  end(body: UnfinishedBody): boolean {
    const isFirst = this.#bodies.delete(body);
    if (isFirst) this.#total -= body.held;
    return isFirst;
  }

  /**
   * Gives one body up with RATE_LIMITED where all of them hold too much: the largest that has taken longer than two seconds. Where
   * there is none, it is the body that has just grown, unless that is small. So clients that send half a body and wait can block
   * large bodies alone, and only for two seconds.
   */
  makeRoom(grown: UnfinishedBody): void {
    if (this.#total <= bodiesUnderWay) return;
    const before = performance.now() - longestWaitMs;
    let largest: UnfinishedBody | null = null;
    for (const body of this.#bodies) if (body.since < before && body.held > (largest?.held ?? 0)) largest = body;
    if (largest !== null) largest.giveUp(tooManyBodies());
    else if (grown.held > smallBody) grown.giveUp(tooManyBodies());
  }
}

function tooManyBodies(): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: 'This gateway is receiving too many large requests at a time. Try again.',
  });
}
