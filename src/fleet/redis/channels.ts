/** Runs for each message of a channel. */
export type Listener = (message: Buffer) => void;

/** Who listens to which channel, whether or not there is a connection. */
export class Channels {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** The channels that somebody listens to. */
  get names(): string[] {
    return [...this.#listeners.keys()];
  }

  /** Returns whether it is the first listener of the channel. */
  add(channel: string, listener: Listener): boolean {
    const known = this.#listeners.get(channel);
    this.#listeners.set(channel, (known ?? new Set()).add(listener));
    return known === undefined;
  }

  /** Returns whether it was the last listener of the channel. */
  remove(channel: string, listener: Listener): boolean {
    const listeners = this.#listeners.get(channel);
    if (listeners?.delete(listener) !== true || listeners.size > 0) return false;
    return this.#listeners.delete(channel);
  }

  /** Hands a message on to the listeners of its channel. */
  hear(message: Buffer, channel: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(message);
  }
}
