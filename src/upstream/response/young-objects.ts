import { setFlagsFromString } from 'node:v8';
import { collectedSoonerMs, youngShare } from '../../bounds.ts';

/**
 * Has V8 collect young objects sooner for a while, in ticks of their own. A collection takes as long as copying what lives: by
 * default it comes when the young objects fill most of their thirty-two megabytes, and of a report that is being read nearly all of
 * them live. Of other requests hardly any lives, so sooner would only be more often.
 */
export class YoungObjects {
  readonly #setFlag: (flag: string) => void;
  #untilUsual: NodeJS.Timeout | undefined;

  constructor(setFlag: (flag: string) => void = setFlagsFromString) {
    this.#setFlag = setFlag;
  }

  /** To be called in each tick of the work. */
  collectSooner(): void {
    // The flag is that of all threads of the process, of which another one may just have set it back.
    this.#collectAt(youngShare.whileReading);
    if (this.#untilUsual === undefined) this.#untilUsual = setTimeout(this.#collectAsUsual, collectedSoonerMs).unref();
    else this.#untilUsual.refresh();
  }

  readonly #collectAsUsual = (): void => {
    this.#untilUsual = undefined;
    this.#collectAt(youngShare.usual);
  };

  #collectAt(percent: number): void {
    this.#setFlag(`--minor-gc-task-trigger=${percent}`);
  }
}
