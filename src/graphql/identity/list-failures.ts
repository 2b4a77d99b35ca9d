import { errorsPerResponse } from '../../bounds.ts';
import { GatewayErrors, gatewayErrorsOf, violationsOf } from '../../errors.ts';

/**
 * The failures of one list, whose items may be null. As many as a response reports stand in their places. The next place
 * counts all others, which are null: to place an error takes many times as long as to count it.
 */
export class ListFailures {
  readonly #items: unknown[];
  #placed = 0;
  /** The first place beyond those; null where there is none. */
  #next: number | null = null;
  #more = 0;

  constructor(items: unknown[]) {
    this.#items = items;
  }

  /** Whether what fails from now on is only counted, unless it breaks the API's contract. */
  get isFull(): boolean {
    return this.#placed === errorsPerResponse;
  }

  /** Notes a place that has failed. */
  note(index: number, failure: Error): void {
    if (!this.isFull || violationsOf(failure).length > 0) {
      this.#items[index] = failure;
      // Those of values that break the contract are counted for themselves, and may be reported later or not at all.
      if (violationsOf(failure).length === 0) this.#placed++;
      return;
    }
    this.count(index, failure instanceof GatewayErrors ? failure.errors.length + failure.more : 1);
  }

  /** Counts failures at a place and behind it that are reported by their number alone. */
  count(index: number, failures: number): void {
    this.#items[index] = null;
    this.#next ??= index;
    this.#more += failures;
  }

  /** The list with all its failures. */
  end(): unknown[] {
    const before = this.#items.find((item) => item instanceof Error);
    if (this.#next !== null)
      this.#items[this.#next] = new GatewayErrors(gatewayErrorsOf(before).slice(0, 1), this.#more - 1);
    return this.#items;
  }
}
