import { contradictoryReadings } from '../bounds.ts';
import { GatewayError } from '../errors.ts';

/** The contradictions of one list: which was the last, and how many readings ended in one. */
export class Contradictions {
  readonly #whenFirst: () => void;
  #last: string | null = null;
  #isReadingFutile = false;
  #futileReadings = 0;

  /** `whenFirst` runs at the first contradiction. */
  constructor(whenFirst: () => void) {
    this.#whenFirst = whenFirst;
  }

  /** Records what contradicts what. A page from which nothing could be learned makes its reading futile. */
  record(contradiction: string, isFutile: boolean): void {
    if (this.#last === null) this.#whenFirst();
    this.#last = contradiction;
    this.#isReadingFutile ||= isFutile;
  }

  /** Begins the next reading; whether the one before was futile. Throws UPSTREAM_BAD_RESPONSE where too many were. */
  beginReading(): boolean {
    const wasFutile = this.#isReadingFutile;
    this.#isReadingFutile = false;
    if (wasFutile && ++this.#futileReadings >= contradictoryReadings)
      throw this.failure('The upstream contradicts itself.');
    return wasFutile;
  }

  /** UPSTREAM_BAD_RESPONSE with the last contradiction, or with this message where there was none. */
  failure(message: string): GatewayError {
    return new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: this.#last === null ? message : `The upstream's list contradicts itself: ${this.#last}.`,
    });
  }
}
