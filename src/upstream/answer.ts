import { ReceivedBody } from './response/received-body.ts';
import { isReadable } from './response/response-reader.ts';
import type { WireResponse } from './response/wire-response.ts';

/** An answer that has come, and is read once for all who share it. */
export interface Answer<Body> {
  /** As it came; null where that is no whole response, or has been read before. */
  readonly bytes: ReceivedBody | null;
  /** As its endpoint reads it, its free-form values digit for digit or not. Fails as `Client.get` does. */
  body(isExact: boolean): Body | Promise<Body>;
}

/** A response, for all who wait for it. It is read once, when somebody needs what it holds. */
export class SentAnswer<Body> implements Answer<Body> {
  readonly response: WireResponse;
  /** The same answer as it is kept, unread: whoever reads it finds out for all whether it is one. */
  kept: UnreadAnswer<Body> | null = null;
  readonly #read: (isExact: boolean) => Promise<Body>;
  #plain: Body | Promise<Body> | undefined;
  #exact: Body | Promise<Body> | undefined;

  constructor(response: WireResponse, read: (isExact: boolean) => Promise<Body>) {
    this.response = response;
    this.#read = read;
  }

  get bytes(): ReceivedBody | null {
    return isReadable(this.response) ? this.response.body : null;
  }

  /** It has been read. */
  set(isExact: boolean, body: Body): void {
    if (isExact) this.#exact = body;
    else this.#plain = body;
  }

  body(isExact: boolean): Body | Promise<Body> {
    if (this.kept !== null) return this.kept.bodyOf(this.response.body);
    return isExact ? (this.#exact ??= this.#read(true)) : (this.#plain ??= this.#read(false));
  }
}

/** An answer that is kept as it came: it is read when somebody needs all of it, once, and what came is let go of then. */
export class UnreadAnswer<Body> implements Answer<Body> {
  #own: Buffer<ArrayBuffer> | null;
  #bytes: ReceivedBody | null;
  #isShown = false;
  #read: ((bytes: ReceivedBody) => Promise<Body>) | null;
  #body: Promise<Body> | undefined;

  /** Keeps bytes of its own, until it is forgotten. */
  constructor(body: ReceivedBody, read: (bytes: ReceivedBody) => Promise<Body>) {
    this.#own = body.copy();
    this.#bytes = new ReceivedBody([this.#own]);
    this.#read = read;
  }

  get bytes(): ReceivedBody | null {
    this.#isShown = true;
    return this.#bytes;
  }

  body(): Promise<Body> {
    return this.bodyOf(this.bytes);
  }

  /** What is read of it by somebody who still has the bytes as they came. */
  bodyOf(bytes: ReceivedBody | null): Promise<Body> {
    if (bytes !== null) this.#body ??= this.#read?.(bytes);
    this.#bytes = null;
    this.#read = null;
    this.forget();
    return this.#body as Promise<Body>;
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

/** An answer that has been read. While it is kept, nothing else is. */
export function readAnswer<Body>(body: Body): Answer<Body> {
  return { bytes: null, body: () => body };
}
