import { BodyChunks } from '../../body-chunks.ts';
import { bytesPerList, heldBody, sampledBytes } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import type { BodyHold, BodyRoom } from './body-room.ts';
import { ReceivedBody } from './received-body.ts';

export interface BodyLimits {
  /** The largest body that is held. */
  readonly maxBodyBytes: number;
  /** The room for large bodies; absent: there is room for all. */
  readonly room?: BodyRoom;
}

/** The call that receives a body. */
export interface BodyReceiver {
  /** Names the caller in state that all share. */
  readonly identity: string;
  pause(): void;
  resume(): void;
  /** The body is whole; a large one has its room. */
  finish(body: ReceivedBody, hold: BodyHold | undefined): void;
  /** The body is not to be read any further. */
  fail(error: Error): void;
}

// For a body without a content-length, room is made for so many times the bytes that have come.
const growth = 4;

/** Collects a body. A large one waits where there is no room for it. */
export class IncomingBody {
  readonly #receiver: BodyReceiver;
  readonly #limits: BodyLimits;
  readonly #chunks = new BodyChunks();
  #length = 0;
  /** The length of body that there is room for; small bodies need none. */
  #granted = heldBody;
  #hold: BodyHold | undefined;
  /** About how many lists and objects a large body holds. */
  #lists = 0;
  #isWaiting = false;
  #isComplete = false;
  #isOver = false;

  constructor(receiver: BodyReceiver, limits: BodyLimits) {
    this.#receiver = receiver;
    this.#limits = limits;
  }

  /** The body begins; its length in bytes by content-length, NaN without one. */
  begin(contentLength: number): void {
    const { maxBodyBytes } = this.#limits;
    if (contentLength > maxBodyBytes) this.#receiver.fail(tooLarge(maxBodyBytes));
    else if (contentLength > this.#granted) this.#makeRoom(contentLength);
  }

  take(chunk: Buffer): void {
    const { maxBodyBytes } = this.#limits;
    this.#length += chunk.length;
    if (this.#length > maxBodyBytes) return this.#receiver.fail(tooLarge(maxBodyBytes));
    this.#chunks.add(chunk);
    if (this.#hold !== undefined) this.#lists += listsIn(chunk);
    if (this.#lists * bytesPerList > maxBodyBytes) return this.#receiver.fail(tooManyLists());
    if (this.#length > this.#granted) this.#makeRoom(Math.min(this.#length * growth, maxBodyBytes));
    return undefined;
  }

  end(): void {
    this.#isComplete = true;
    if (this.#hold === undefined) this.#finish();
    else this.#makeRoom(this.#length);
  }

  /** Nobody waits for the body any more. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hold?.release();
  }

  /** Makes room for so many bytes, or pauses the upstream. A complete body is handed over as soon as there is room. */
  #makeRoom(bytes: number): void {
    const { room } = this.#limits;
    // Chunks that were on their way when the upstream was paused come all the same.
    if (room === undefined || this.#isWaiting) return;
    if (this.#hold === undefined) {
      this.#hold = room.hold(this.#receiver.identity);
      for (const chunk of this.#chunks.all) this.#lists += listsIn(chunk);
    }
    const isWhole = this.#isComplete;
    const go = (): void => {
      this.#isWaiting = false;
      this.#granted = bytes;
      if (this.#isOver) return;
      if (isWhole) this.#finish();
      else if (this.#isComplete) this.#makeRoom(this.#length);
      else this.#receiver.resume();
    };
    // Room becomes free within the end of another response, and undici reads no other one meanwhile.
    const goLater = (): void => void setImmediate(go);
    if (this.#hold.grow({ bytes, lists: this.#lists }, goLater, (error) => this.#receiver.fail(error))) return go();
    this.#isWaiting = true;
    this.#receiver.pause();
  }

  #finish(): void {
    this.#isOver = true;
    this.#receiver.finish(new ReceivedBody(this.#chunks.all), this.#hold);
  }
}

/** About how many lists and objects a chunk holds; brackets within strings are counted too. */
function listsIn(chunk: Buffer): number {
  const length = Math.min(chunk.length, sampledBytes);
  let count = 0;
  // The codes of `[` and `{` differ in this bit.
  for (let at = 0; at < length; at++) if (((chunk[at] as number) | 0x20) === 0x7b) count++;
  return length === 0 ? 0 : (count * chunk.length) / length;
}

function tooManyLists(): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: "The upstream's answer holds more lists and objects than are read.",
  });
}

function tooLarge(maxBodyBytes: number): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's answer is larger than the ${maxBodyBytes} bytes that are read.`,
  });
}
