/**
 * Responses that leave together: all that are ready when the event loop has read what has come, one right behind another. To send a
 * response wakes its reader, and each that is woken by itself costs as much as a tenth of a small request where the reader is on the
 * same machine. Nothing waits for a response that is not ready.
 */
export class WriteBatch {
  #waiting: (() => void)[] = [];

  /** Has a function send a response, soon, and behind those that were added before. */
  add(send: () => void): void {
    if (this.#waiting.push(send) === 1) setImmediate(this.#sendAll);
  }

  readonly #sendAll = (): void => {
    const sending = this.#waiting;
    this.#waiting = [];
    let sent = 0;
    try {
      while (sent < sending.length) sending[sent++]?.();
    } finally {
      // Whatever one of them throws, the others are sent.
      while (sent < sending.length) this.add(sending[sent++] as () => void);
    }
  };
}
