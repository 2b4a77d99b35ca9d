import { create } from 'zustand';

/** One call to the API, as the gateway explains it. */
export interface Call {
  readonly operation: string;
  readonly query: string;
  readonly origin: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  /** From the beginning of the operation. */
  readonly startMilliseconds: number;
  readonly milliseconds: number;
  readonly retries: number;
  readonly curl: string;
}

/** What is known of a request. */
export interface Run {
  /** Null until the response has begun, and where there is none. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly bytes: number;
  /** Whole answers: a stream has many. */
  readonly events: number;
  /** Null where the gateway does not list them. */
  readonly calls: readonly Call[] | null;
  /** Paths of reports as CSV that it has answered. */
  readonly exports: readonly string[];
  readonly isRunning: boolean;
}

/** The request that was sent last. */
export const useLastRun = create<Run | null>(() => null);

/** Begins to write down what becomes of a request. Another may begin before it has ended. */
export function watchRun() {
  const began = performance.now();
  let run: Run = { status: null, milliseconds: 0, bytes: 0, events: 0, calls: null, exports: [], isRunning: true };
  useLastRun.setState(run, true);
  return (noted: (before: Run) => Partial<Run>): void => {
    const isLast = useLastRun.getState() === run;
    run = { ...run, milliseconds: performance.now() - began, ...noted(run) };
    if (isLast) useLastRun.setState(run, true);
  };
}

export const countText = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;

export const bytesText = (bytes: number): string =>
  `${(bytes / 1_000).toLocaleString('en', { maximumFractionDigits: bytes < 1e5 ? 1 : 0 })} kB`;

export const millisecondsText = (milliseconds: number): string => `${Math.round(milliseconds).toLocaleString('en')} ms`;
