import type { CountSpans, TracingOptions } from './otlp/options.ts';
import type { Tracing } from './span.ts';

/** Loads what traces need; null where there is no collector, and then nothing of it is loaded. */
export async function loadTracing(options: TracingOptions | null, countSpans: CountSpans): Promise<Tracing | null> {
  if (options === null) return null;
  const { createTracing } = await import('./otlp/tracer.ts');
  return createTracing(options, countSpans);
}
