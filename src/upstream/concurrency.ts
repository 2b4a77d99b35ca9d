import { GatewayError } from '../errors.ts';
import type { Stage } from './client.ts';

export interface ConcurrencyOptions {
  /** Calls under way at once. */
  readonly most: number;
  /** Calls that may wait for their turn. */
  readonly queueSize: number;
  /** The longest wait, in milliseconds. */
  readonly queueTimeoutMs: number;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Lets a bounded number of calls through at once; the others wait, in a queue that is bounded in length and time. A free
 * place goes to the caller who holds the fewest, and a full queue makes room at the cost of who fills it, so that one busy
 * caller does not shut out the others. Who cannot wait is answered UPSTREAM_UNAVAILABLE at once, with a time to come back.
 */
export function limitConcurrency(options: ConcurrencyOptions): Stage {
  const places = createPlaces(options);
  return (next) => async (request) => {
    const { identity } = request.caller;
    await places.enter(identity, request.signal);
    try {
      return await next(request);
    } finally {
      places.leave(identity);
    }
  };
}

function createPlaces({ most, queueSize, queueTimeoutMs }: ConcurrencyOptions) {
  const active = new Map<string, number>();
  const waiting = new Map<string, Waiter[]>();
  let total = 0;
  let queued = 0;

  function take(identity: string): void {
    total++;
    active.set(identity, (active.get(identity) ?? 0) + 1);
  }

  function withdraw(identity: string, waiter: Waiter): void {
    const line = waiting.get(identity) ?? [];
    const index = line.indexOf(waiter);
    if (index < 0) return;
    line.splice(index, 1);
    queued--;
    if (line.length === 0) waiting.delete(identity);
  }

  /** Refuses the last of whoever has the most waiting, if that is more than this caller has; whether there is room now. */
  function makeRoom(identity: string): boolean {
    if (queued < queueSize) return true;
    const [longest, line] = [...waiting].reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', [] as Waiter[]]);
    const last = line.at(-1);
    if (last === undefined || line.length <= (waiting.get(identity)?.length ?? 0) + 1) return false;
    withdraw(longest, last);
    last.refuse(tooBusy());
    return true;
  }

  function wait(identity: string, signal: AbortSignal): Promise<void> {
    if (!makeRoom(identity)) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        withdraw(identity, waiter);
      };
      const waiter: Waiter = {
        admit() {
          settle();
          resolve();
        },
        refuse(error) {
          settle();
          reject(error);
        },
      };
      const abort = (): void => waiter.refuse(signal.reason);
      const timer = setTimeout(() => waiter.refuse(tooBusy()), queueTimeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      waiting.set(identity, [...(waiting.get(identity) ?? []), waiter]);
      queued++;
    });
  }

  function admitNext(): void {
    const identities = [...waiting.keys()];
    const [first] = identities;
    if (first === undefined) return;
    const held = (identity: string): number => active.get(identity) ?? 0;
    const next = identities.reduce((a, b) => (held(b) < held(a) ? b : a), first);
    take(next);
    waiting.get(next)?.[0]?.admit();
  }

  return {
    async enter(identity: string, signal: AbortSignal): Promise<void> {
      if (signal.aborted) throw signal.reason;
      if (total >= most) await wait(identity, signal);
      else take(identity);
    },
    leave(identity: string): void {
      total--;
      const held = (active.get(identity) ?? 1) - 1;
      if (held === 0) active.delete(identity);
      else active.set(identity, held);
      if (total < most) admitNext();
    },
  };
}

function tooBusy(): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', {
    message: 'Too many calls to the upstream are under way or waiting. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
