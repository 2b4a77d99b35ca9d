/** The samplers of the standard variable `OTEL_TRACES_SAMPLER`. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** How spans are encoded for the collector. */
export const protocols = ['http/json', 'http/protobuf'] as const;

/** Where traces go, and which of them. */
export interface TracingOptions {
  /** Of the collector's endpoint for traces. */
  readonly url: string;
  readonly protocol: (typeof protocols)[number];
  /** For the collector. They may hold its key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplers)[number];
  /** From 0 to 1, for the samplers by ratio. */
  readonly ratio: number;
  /** The longest time for one export, in milliseconds. */
  readonly timeoutMs: number;
  /** How long an ended span waits for others, in milliseconds. */
  readonly delayMs: number;
  /** The most ended spans that wait. Further ones are dropped. */
  readonly queueSize: number;
  /** The most spans of one export. */
  readonly batchSize: number;
}

/** Counts spans that the collector has taken, and others. */
export type CountSpans = (outcome: 'exported' | 'failed', count: number) => void;
