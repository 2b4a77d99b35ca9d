import type { Exchange } from './exchange.ts';

/** A time within an exchange, or all of it: what is begun in it has an end. */
export type Lifetime = Pick<Exchange, 'signal' | 'whenEnded'>;

/** Shorter spans of an exchange, one after another. */
export interface Lifetimes {
  /** Begins one; the one before has ended. */
  begin(): Lifetime;
  end(): void;
}

/** An exchange that lasts for hours must not remember all who were ever to be told of its end. */
export function createLifetimes({ signal, whenEnded }: Lifetime): Lifetimes {
  let told: (() => void)[] = [];
  const lifetime: Lifetime = { signal, whenEnded: (run) => told.push(run) };
  const end = (): void => {
    const now = told;
    told = [];
    for (const run of now) run();
  };
  whenEnded(end);
  return { begin: () => lifetime, end };
}
