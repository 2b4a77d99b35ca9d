import { ReceivedBody } from './response/received-body.ts';

/** A report that is kept as it came: it is read when somebody needs all of it, once, and what came is let go of then. */
export class UnreadReport<Body> {
  #own: Buffer<ArrayBuffer> | null = null;
  #bytes: ReceivedBody | null = null;
  #isShown = false;
  #read: ((bytes: ReceivedBody) => Promise<Body>) | null;
  #body: Promise<Body> | undefined;

  constructor(read: (bytes: ReceivedBody) => Promise<Body>) {
    this.#read = read;
  }

  /** Null once it has been read. */
  get bytes(): ReceivedBody | null {
    this.#isShown = true;
    return this.#bytes;
  }

  /** What is read of it. Who still has the bytes as they came gives them. Rejects where they cannot be read. */
  body(bytes: ReceivedBody | null = this.bytes): Promise<Body> {
    if (bytes !== null) this.#body ??= this.#read?.(bytes);
    this.#bytes = null;
    this.#read = null;
    this.forget();
    return this.#body as Promise<Body>;
  }

  /** Keeps bytes of its own, until it is forgotten. */
  keep(body: ReceivedBody): void {
    this.#own = body.copy();
    this.#bytes = new ReceivedBody([this.#own]);
  }

  /**
   * Lets go of its bytes: it has been read, or nobody will ask for it any more. Where nobody has seen them, their memory is free at
   * once: V8 would keep it until it collects all memory, and would do that for their sake several times a second.
   */
  forget(): void {
    if (!this.#isShown) this.#own?.buffer.transfer(0);
    this.#own = null;
  }
}
