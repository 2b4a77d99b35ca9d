import type { Asked, Client } from './exchange.ts';

/** The figures of a period of load. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Sorted; milliseconds. */
  readonly latencies: Float64Array;
}

/** Throws where a response is not the one that was compared before. */
export function checkAnswer(told: { readonly status: number; readonly bytes: number }, bytes: number): void {
  if (told.status === 200 && Math.abs(told.bytes - bytes) <= bytes / 100) return;
  throw new Error(`under load an answer of ${bytes} bytes became status ${told.status} with ${told.bytes} bytes`);
}

/** Keeps so many requests under way for so long. */
export async function saturate(
  client: Client,
  asked: Asked,
  { atOnce, seconds, bytes }: { readonly atOnce: number; readonly seconds: number; readonly bytes: number },
): Promise<LoadResult> {
  const started = performance.now();
  const until = started + seconds * 1_000;
  const latencies: number[] = [];
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      const told = await client.send(asked);
      checkAnswer(told, bytes);
      latencies.push(told.milliseconds);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return {
    requests: latencies.length,
    seconds: (performance.now() - started) / 1_000,
    latencies: Float64Array.from(latencies).sort(),
  };
}
