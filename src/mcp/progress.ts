import { progressMs } from '../bounds.ts';
import type { RequestRecord } from '../http/request/exchange.ts';

type Notify = (notification: {
  readonly method: 'notifications/progress';
  readonly params: { readonly progressToken: string | number; readonly progress: number; readonly message: string };
}) => Promise<void>;

/**
 * Tells a client every second that its call goes on, where it has asked by a token; returns the function that ends this. Progress
 * counts seconds, since nobody knows beforehand how many calls a report takes.
 */
export function followProgress(
  progressToken: string | number | null,
  record: Pick<RequestRecord, 'upstreamCalls'>,
  notify: Notify,
): () => void {
  if (progressToken === null) return () => {};
  let progress = 0;
  const timer = setInterval(() => {
    progress += progressMs / 1_000;
    const message = `${record.upstreamCalls} calls of the API so far`;
    // The client may have left.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  }, progressMs);
  return () => clearInterval(timer);
}
