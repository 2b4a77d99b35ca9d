import type { ReceivedBody } from './response/received-body.ts';

/** A report that is kept as it came: it is read when somebody needs all of it, once, and what came is let go of then. */
export class UnreadReport<Body> {
  #bytes: ReceivedBody | null;
  #read: (() => Promise<Body>) | null;
  #body: Promise<Body> | undefined;

  constructor(bytes: ReceivedBody, read: () => Promise<Body>) {
    this.#bytes = bytes;
    this.#read = read;
  }

  /** Null once it has been read. */
  get bytes(): ReceivedBody | null {
    return this.#bytes;
  }

  /** Rejects where it cannot be read. */
  body(): Promise<Body> {
    this.#body ??= this.#read?.();
    this.#bytes = null;
    this.#read = null;
    return this.#body as Promise<Body>;
  }
}
