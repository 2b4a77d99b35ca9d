import { finalAnswerBytes, finalAnswersRoom, justNowMs, provenMs } from '../bounds.ts';
import { ReportCache } from './report-cache.ts';
import type { ResponseHead } from './response/wire-response.ts';

/** The calls of one caller that show whether the API still accepts the key. */
interface Proof {
  /** When the API last accepted it, by the clock of the process. */
  acceptedAt: number;
  /** How many calls are under way, and when the last one was sent. */
  underWay: number;
  sentAt: number;
  /** Those who wait for one of them. */
  waiting: (() => void)[];
}

/**
 * Answers that do not change any more, such as months that are over, kept for their callers. A revoked key must see nothing of them: they
 * are shown only within a minute of a call that the API has accepted, so that an operation makes at least one call, and forgotten
 * at the first refusal. All keys must name their caller.
 */
export class FinalAnswers extends ReportCache {
  readonly #clock: () => number;
  /** Of the callers for whom something is kept. */
  readonly #proofs = new Map<string, Proof>();

  constructor(keepMs: number, now: () => number = () => performance.now()) {
    super({ keepMs, mostBytes: finalAnswersRoom, leastBytes: finalAnswerBytes }, now);
    this.#clock = now;
  }

  /** Whether a caller may be shown what is kept. */
  isProven(identity: string): boolean {
    const { acceptedAt = -Infinity } = this.#proofs.get(identity) ?? {};
    return this.#clock() - acceptedAt < provenMs;
  }

  /**
   * Null where nothing is kept under the key, or it may be shown. Otherwise resolves once a call of the caller has ended; where none has
   * been sent just now, one of those who wait is let go first, to make its call.
   */
  whenProven(key: string, identity: string): Promise<void> | null {
    const proof = this.#proofs.get(identity);
    if (proof === undefined || this.isProven(identity) || this.get(key) === undefined) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (proof.waiting.push(resolve) === 1) setImmediate(() => this.#letOneGo(proof));
    return promise;
  }

  /** Where that one makes no call, the next does. A call that was sent long ago may take long. */
  #letOneGo(proof: Proof): void {
    const isSent = proof.underWay > 0 && this.#clock() - proof.sentAt < justNowMs;
    if (isSent || proof.waiting.length === 0) return;
    proof.waiting.shift()?.();
    setImmediate(() => this.#letOneGo(proof));
  }

  /** Counts a call of a caller for whom something is kept; the function that is returned notes its response, if it has one. */
  noteSent(identity: string): (response: ResponseHead | null) => void {
    const proof = this.#proofs.get(identity);
    if (proof === undefined) return () => {};
    proof.underWay += 1;
    proof.sentAt = this.#clock();
    return (response) => {
      proof.underWay -= 1;
      if (response !== null && response.status >= 200 && response.status < 300) proof.acceptedAt = this.#clock();
      letGo(proof);
    };
  }

  protected override noteCaller(identity: string, isKept: boolean): void {
    const proof = this.#proofs.get(identity);
    if (isKept && proof === undefined)
      this.#proofs.set(identity, { acceptedAt: this.#clock(), underWay: 0, sentAt: -Infinity, waiting: [] });
    if (isKept || proof === undefined) return;
    this.#proofs.delete(identity);
    letGo(proof);
  }
}

function letGo({ waiting }: Proof): void {
  for (const release of waiting.splice(0)) release();
}
