import type { Asked, Client } from './exchange.ts';

/** The figures of a period of load. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Sorted; milliseconds. */
  readonly latencies: Float64Array;
}

/** A request, and the length of its response in bytes; null where it is not known. */
export interface Work {
  readonly asked: Asked;
  readonly bytes: number | null;
}

/** Throws where a response is not the one that was compared before. */
export function checkAnswer(told: { readonly status: number; readonly bytes: number }, bytes: number | null): void {
  if (told.status === 200 && (bytes === null || Math.abs(told.bytes - bytes) <= bytes / 100)) return;
  throw new Error(`under load an answer of ${bytes} bytes became status ${told.status} with ${told.bytes} bytes`);
}

/** Keeps so many requests under way for so long, or until so many have been answered. */
export async function saturate(
  client: Client,
  next: () => Work,
  { atOnce, seconds, most = Infinity }: { readonly atOnce: number; readonly seconds: number; readonly most?: number },
): Promise<LoadResult> {
  const started = performance.now();
  const until = started + seconds * 1_000;
  const latencies: number[] = [];
  const work = async (): Promise<void> => {
    while (performance.now() < until && latencies.length < most) {
      const { asked, bytes } = next();
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
