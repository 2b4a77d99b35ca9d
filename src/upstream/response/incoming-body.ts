import { bytesPerList, heldBody, sampledBytes } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import type { BodyHold, BodyRoom } from './body-room.ts';

export interface BodyLimits {
  /** The largest body that is held. */
  readonly maxBodyBytes: number;
  /** Where large bodies are held; without it there is room for all. */
  readonly room?: BodyRoom;
}

/** Whoever a body comes for. */
export interface BodyReceiver {
  /** Names the caller in what all share. */
  readonly identity: string;
  pause(): void;
  resume(): void;
  /** The body is whole, and has its room where it is a large one. */
  finish(body: Buffer, hold: BodyHold | undefined): void;
  /** It is not to be read any further. */
  fail(error: Error): void;
}

// Of a body whose length is not told, room is made for so many times what has come.
const growth = 4;

/** Gathers a body, which waits where it is a large one and there is no room for it. */
export class IncomingBody {
  readonly #receiver: BodyReceiver;
  readonly #limits: BodyLimits;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** How long a body there is room for; small ones need none. */
  #granted = heldBody;
  #hold: BodyHold | undefined;
  /** About how many lists and objects there are in a large one. */
  #lists = 0;
  #isWaiting = false;
  #isComplete = false;
  #isOver = false;

  constructor(receiver: BodyReceiver, limits: BodyLimits) {
    this.#receiver = receiver;
    this.#limits = limits;
  }

  /** It is to have so many bytes; NaN where that is not told. */
  begin(told: number): void {
    const { maxBodyBytes } = this.#limits;
    if (told > maxBodyBytes) this.#receiver.fail(tooLarge(maxBodyBytes));
    else if (told > this.#granted) this.#admit(told);
  }

  take(chunk: Buffer): void {
    const { maxBodyBytes } = this.#limits;
    this.#length += chunk.length;
    if (this.#length > maxBodyBytes) return this.#receiver.fail(tooLarge(maxBodyBytes));
    this.#chunks.push(chunk);
    if (this.#hold !== undefined) this.#lists += listsIn(chunk);
    if (this.#lists * bytesPerList > maxBodyBytes) return this.#receiver.fail(tooManyLists());
    if (this.#length > this.#granted) this.#admit(Math.min(this.#length * growth, maxBodyBytes));
    return undefined;
  }

  end(): void {
    this.#isComplete = true;
    if (this.#hold === undefined) this.#finish();
    else this.#admit(this.#length);
  }

  /** Nobody waits for it any more. */
  letGo(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hold?.release();
  }

  /** Makes room for so much, or has the upstream wait; what is complete is handed over as soon as there is room. */
  #admit(bytes: number): void {
    const { room } = this.#limits;
    // What was on its way when it was told to wait comes all the same.
    if (room === undefined || this.#isWaiting) return;
    if (this.#hold === undefined) {
      this.#hold = room.hold(this.#receiver.identity);
      for (const chunk of this.#chunks) this.#lists += listsIn(chunk);
    }
    const isWhole = this.#isComplete;
    const go = (): void => {
      this.#isWaiting = false;
      this.#granted = bytes;
      if (this.#isOver) return;
      if (isWhole) this.#finish();
      else if (this.#isComplete) this.#admit(this.#length);
      else this.#receiver.resume();
    };
    // Room is given back within the end of another answer, in which undici reads no other.
    const goLater = (): void => void setImmediate(go);
    if (this.#hold.grow({ bytes, lists: this.#lists }, goLater, (error) => this.#receiver.fail(error))) return go();
    this.#isWaiting = true;
    this.#receiver.pause();
  }

  #finish(): void {
    this.#isOver = true;
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#receiver.finish(body, this.#hold);
  }
}

/** About how many lists and objects a chunk holds: those that are text are counted too. */
function listsIn(chunk: Buffer): number {
  const length = Math.min(chunk.length, sampledBytes);
  let count = 0;
  // The codes of both brackets that open one differ in this bit.
  for (let at = 0; at < length; at++) if (((chunk[at] ?? 0) | 0x20) === 0x7b) count++;
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
