import type { Caller } from '../caller.ts';
import type { ResponseHead } from '../response/wire-response.ts';
import type { Passage } from './checks.ts';

/** Learns from the response to a call of a caller. */
export type LearnFrom = (caller: Caller, response: ResponseHead) => void;

/** The passage of a check that learns from responses alone. */
export class ResponsePassage implements Passage {
  readonly #caller: Caller;
  readonly #learnFrom: LearnFrom;

  constructor(caller: Caller, learnFrom: LearnFrom) {
    this.#caller = caller;
    this.#learnFrom = learnFrom;
  }

  answered(response: ResponseHead): void {
    this.#learnFrom(this.#caller, response);
  }
}
