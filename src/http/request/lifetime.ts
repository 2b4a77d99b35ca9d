import type { Exchange } from './exchange.ts';

/** An exchange or a part of it. What runs within it ends with it. */
export type Lifetime = Pick<Exchange, 'signal' | 'whenEnded'>;

/** Shorter lifetimes within an exchange, one after another. */
export interface Lifetimes {
  /** Begins a lifetime, after the one before has ended. */
  begin(): Lifetime;
  /** Ends the lifetime that was begun last. */
  end(): void;
}

/** Divides an exchange into lifetimes. A stream lasts for hours, and must not keep the listeners of all its past events. */
export function createLifetimes(whole: Lifetime): Lifetimes {
  let listeners: (() => void)[] = [];
  const lifetime: Lifetime = { signal: whole.signal, whenEnded: (listener) => void listeners.push(listener) };
  const end = (): void => {
    const ended = listeners;
    listeners = [];
    for (const listener of ended) listener();
  };
  whole.whenEnded(end);
  return { begin: () => lifetime, end };
}
