import type { Exchange } from './exchange.ts';

/** A time within an exchange, or all of it: what is begun in it has an end. */
export type Span = Pick<Exchange, 'signal' | 'whenEnded'>;

/** Shorter spans of an exchange, one after another. */
export interface Spans {
  /** Begins one; the one before has ended. */
  begin(): Span;
  end(): void;
}

/** An exchange that lasts for hours must not remember all who were ever to be told of its end. */
export function createSpans({ signal, whenEnded }: Span): Spans {
  let told: (() => void)[] = [];
  const span: Span = { signal, whenEnded: (run) => told.push(run) };
  const end = (): void => {
    const now = told;
    told = [];
    for (const run of now) run();
  };
  whenEnded(end);
  return { begin: () => span, end };
}
