import { CancelSource } from '../cancellation.ts';
import type { Exchange } from '../http/request/exchange.ts';
import { beginLifetime } from '../http/request/deadline.ts';

/** Calls of tools that can be cancelled at a time. More connections than that hold no call that anybody waits for. */
export const cancellableCalls = 10_000;

/** A call that its client may cancel. */
export interface RunningCall {
  /** The exchange of the call. It ends when the client leaves, and when the call is cancelled. */
  readonly exchange: Exchange;
  /** Resolves when the call is cancelled. */
  readonly cancelled: Promise<void>;
}

/**
 * The calls that run in this process, by their callers and by the ids of their messages. Each call is forgotten with its exchange.
 * A caller without a key has no name here, and its calls cannot be cancelled.
 */
export class RunningCalls {
  readonly #calls = new Map<string, Set<() => void>>();
  #count = 0;

  /** Begins a call. Beyond `cancellableCalls`, it runs as any other, and cannot be cancelled. */
  begin(caller: string | null, id: unknown, exchange: Exchange): RunningCall {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const source = new CancelSource();
    const { signal } = exchange;
    // The client may have left while its message was being read. Then the end of the exchange would never be reported.
    if (signal.aborted) source.abort(signal.reason);
    else signal.addEventListener('abort', () => source.abort(signal.reason));
    const lifetime = beginLifetime(source);
    exchange.whenEnded(lifetime.end);
    const key = keyOf(caller, id);
    if (!signal.aborted && key !== null && this.#count < cancellableCalls)
      this.#keep(key, exchange, () => {
        source.abort(new Error('The client has cancelled the call.'));
        resolve();
      });
    const { requestId, record, trace, hideKey } = exchange;
    return { exchange: { requestId, record, trace, hideKey, ...lifetime.of }, cancelled };
  }

  /**
   * Cancels a call of a caller. Clients that share a key may have given one id to several calls. Then nobody can say which is
   * meant, and none is cancelled.
   */
  cancel(caller: string | null, id: unknown): void {
    const [cancel, ...others] = this.#calls.get(keyOf(caller, id) ?? '') ?? [];
    if (others.length === 0) cancel?.();
  }

  #keep(key: string, exchange: Exchange, cancel: () => void): void {
    const calls = this.#calls.get(key) ?? new Set();
    this.#calls.set(key, calls.add(cancel));
    this.#count++;
    exchange.whenEnded(() => {
      this.#count--;
      calls.delete(cancel);
      if (calls.size === 0) this.#calls.delete(key);
    });
  }
}

/** The ids 1 and "1" are two. Null for a caller without a name, and for what is no id of a message. */
function keyOf(caller: string | null, id: unknown): string | null {
  const isId = typeof id === 'string' || typeof id === 'number';
  return caller === null || !isId ? null : `${caller} ${JSON.stringify(id)}`;
}
