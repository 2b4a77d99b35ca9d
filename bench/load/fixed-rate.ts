import type { Client } from './exchange.ts';
import { checkAnswer, type LoadResult, type Work } from './saturation.ts';

/**
 * Sends so many requests a second, whether the earlier ones have their responses or not, and waits for all of them. It checks
 * every millisecond which are due, so at high rates a few go out together.
 */
export async function sendAtRate(
  client: Client,
  next: () => Work,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<LoadResult> {
  const total = Math.max(1, Math.round(rate * seconds));
  const latencies: number[] = [];
  const started = performance.now();
  const sendOne = async (): Promise<void> => {
    const { asked, bytes } = next();
    const told = await client.send(asked);
    checkAnswer(told, bytes);
    latencies.push(told.milliseconds);
  };
  await new Promise<void>((resolve, reject) => {
    const sent: Promise<void>[] = [];
    const timer = setInterval(() => {
      const due = Math.min(total, Math.ceil(((performance.now() - started) / 1_000) * rate));
      while (sent.length < due) sent.push(sendOne());
      if (sent.length < total) return;
      clearInterval(timer);
      Promise.all(sent).then(() => resolve(), reject);
    }, 1);
  });
  return {
    requests: total,
    seconds: (performance.now() - started) / 1_000,
    latencies: Float64Array.from(latencies).sort(),
  };
}
